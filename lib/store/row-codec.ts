import * as v from "valibot";
import type { Segment, TraceRow } from "../domain/trace-row.ts";
import type { Contribution } from "../domain/trace-totals.ts";
import { traceStatuses, type Instant } from "../domain/trace.ts";
import { byteReader, type ByteReader } from "./byte-reader.ts";
import { byteWriter, type ByteWriter } from "./byte-writer.ts";
import { instantBytes, instantOf } from "./packed-instant.ts";
import { readAmount, readSigned, writeAmount, writeSigned } from "./packed-number.ts";
import { readText, writeText } from "./packed-text.ts";
import { keyOfRow } from "./trace-keys.ts";

/** First byte of a packed row. New fields go to the end: a row that ends earlier is an older one. */
const format = 1;

/** Costs are kept to the trillionth of a dollar; one that is finer goes as a double. */
const costScale = 1e12;

const hourOf = (instant: Instant): number => Math.floor(Date.parse(`${instant.slice(0, 13)}:00:00Z`) / 3_600_000);
const hourText = (hour: number): string => new Date(hour * 3_600_000).toISOString().slice(0, 13);

const writeContribution = (writer: ByteWriter, start: number, sum: Contribution): void => {
  writeSigned(writer, hourOf(sum.hour) - start);
  writeText(writer, sum.model);
  writer.whole(sum.calls);
  writeAmount(writer, sum.promptTokens, 1);
  writeAmount(writer, sum.completionTokens, 1);
  writeAmount(writer, sum.cost, costScale);
};

const readContribution = (reader: ByteReader, start: number): Contribution => ({
  hour: hourText(start + readSigned(reader)),
  model: readText(reader),
  calls: reader.whole(),
  promptTokens: readAmount(reader, 1),
  completionTokens: readAmount(reader, 1),
  cost: readAmount(reader, costScale),
});

const writeList = <Item>(writer: ByteWriter, items: readonly Item[], write: (item: Item) => void): void => {
  writer.whole(items.length);
  items.forEach(write);
};

const readList = <Item>(reader: ByteReader, read: () => Item): Item[] => Array.from({ length: reader.whole() }, read);

/**
 * A row as bytes: what its key and the attributes beside it say is left out. Bytes and CPU per row decide what a list
 * costs; as named attributes a row takes twice the bytes and eight times the CPU.
 */
export const packRow = (row: TraceRow): Buffer => {
  const writer = byteWriter();
  const start = hourOf(row.startedAt);
  writer.byte(format);
  writer.byte(traceStatuses.indexOf(row.status) * 2 + (row.endedAt === null ? 0 : 1));
  if (row.endedAt !== null) writer.raw(instantBytes(row.endedAt));
  for (const text of [row.name, row.sessionId, row.userId, row.environment, row.release]) writeText(writer, text);
  writeList(writer, row.tags, (tag) => writeText(writer, tag));
  writer.whole(row.spanCount);
  writer.whole(row.arrivedAt);
  writer.whole(row.changedAt - row.arrivedAt);
  writeList(writer, row.segments, ({ id, parts }) => {
    // The first piece of a trace is named like its incarnation.
    writeText(writer, id === row.incarnation ? null : id);
    writer.whole(parts);
  });
  writeList(writer, row.contributions, (sum) => writeContribution(writer, start, sum));
  return writer.finish();
};

const item = v.object({
  sk: v.instance(Uint8Array),
  d: v.instance(Uint8Array),
  v: v.number(),
  i: v.string(),
});

/** Reads the item of a row. @throws when it is not one. */
export const unpackRow = (value: unknown): TraceRow => {
  const { sk, d, v: version, i: incarnation } = v.parse(item, value);
  const { traceId, startedAt } = keyOfRow(sk);
  const reader = byteReader(d);
  const start = hourOf(startedAt);
  if (reader.byte() !== format) throw new Error("The row is packed in a form this code does not know.");
  const flags = reader.byte();
  const endedAt = flags % 2 === 1 ? instantOf(reader.raw(8)) : null;
  const [name, sessionId, userId, environment, release] = Array.from({ length: 5 }, () => readText(reader));
  const tags = readList(reader, () => readText(reader) ?? "");
  const spanCount = reader.whole();
  const arrivedAt = reader.whole();
  const changedAt = arrivedAt + reader.whole();
  const segments = readList(reader, (): Segment => ({ id: readText(reader) ?? incarnation, parts: reader.whole() }));
  const contributions = readList(reader, () => readContribution(reader, start));
  return {
    traceId,
    name: name ?? "",
    status: traceStatuses[flags >> 1] ?? "COMPLETED",
    startedAt,
    endedAt,
    sessionId: sessionId ?? null,
    userId: userId ?? null,
    tags,
    environment: environment ?? null,
    release: release ?? null,
    spanCount,
    contributions,
    version,
    arrivedAt,
    changedAt,
    incarnation,
    segments,
  };
};
