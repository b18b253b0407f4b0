import * as v from "valibot";
import { epochOf } from "../../domain/instant.ts";
import type { PieceLocation, TraceRow } from "../../domain/traces/row.ts";
import { traceStatuses } from "../../domain/traces/trace.ts";
import { writeInstantFrom } from "../../dynamo/bytes/instant.ts";
import { writeSigned } from "../../dynamo/bytes/number.ts";
import { writeText } from "../../dynamo/bytes/text.ts";
import { type ByteWriter, byteWriter, writeTail } from "../../dynamo/bytes/writer.ts";
import { appendStateFields } from "../documents/append-state-codec.ts";
import { packFacts } from "./facts/facts-codec.ts";
import { writeUsage } from "./packed-contributions.ts";
import { tailFields } from "../documents/tail-fields.ts";
import { endings, PackedTrace, rowFormat, statusCount } from "./packed-trace.ts";

const writeList = <Item>(writer: ByteWriter, items: readonly Item[], write: (item: Item) => void): void => {
  writer.whole(items.length);
  items.forEach(write);
};

/** Bytes of one write unit. */
const kilobyte = 1024;

/**
 * Maximum bytes of a row's item beside the packed row: keys, attribute names, versions, incarnation, session, expiry.
 */
const besideRow = 110;

/**
 * Packs a row. Values that the item's key and other attributes have are omitted, and fields that filters and sorts
 * read come first. Bytes and CPU time per row determine the cost of a list: as named attributes, a row takes twice
 * the bytes and eight times the CPU time.
 */
export const packRow = (row: TraceRow): Buffer => {
  const writer = byteWriter();
  writer.byte(rowFormat * statusCount + traceStatuses.indexOf(row.status));
  writeInstantFrom(writer, row.startedAt, row.endedAt);
  for (const text of [row.name, row.userId, row.sessionId]) writeText(writer, text);
  writeList(writer, row.tags, (tag) => writeText(writer, tag));
  for (const text of [row.environment, row.release]) writeText(writer, text);
  writer.whole(row.spanCount);
  writeInstantFrom(writer, row.startedAt, row.firstSpanAt);
  writeInstantFrom(writer, row.startedAt, row.lastSpanAt);
  writeSigned(writer, row.arrivedAt - epochOf(row.startedAt));
  writer.whole(row.changedAt - row.arrivedAt);
  writeUsage(writer, row.startedAt, row);
  writeList(writer, row.pieces, ({ id, parts }) => {
    // The first piece has the incarnation as its id.
    writeText(writer, id === row.incarnation ? null : id);
    writer.whole(parts);
  });
  if (row.ending !== null) writeTail(writer, [[tailFields.ending, Buffer.of(endings.indexOf(row.ending))]]);
  if (row.appendState !== null) writeTail(writer, appendStateFields(row.startedAt, row.appendState));
  const body = writer.finish();
  const { facts } = row;
  if (facts === null) return body;
  // A preview must not cost another write unit: it gets the rest of the last one.
  const roomLeft = (bytes: number): number => (kilobyte - ((besideRow + body.length + bytes) % kilobyte)) % kilobyte;
  return Buffer.concat([body, packFacts(facts, roomLeft)]);
};

/** Returns the pieces of a trace's document; the first piece has the incarnation as its id. */
export const piecesOf = ({ laterFields }: PackedTrace, incarnation: string): readonly PieceLocation[] =>
  laterFields.pieces.map(({ id, parts }) => ({ id: id ?? incarnation, parts }));

const item = v.object({
  sk: v.instance(Uint8Array),
  d: v.instance(Uint8Array),
  v: v.number(),
  c: v.optional(v.number()),
  i: v.string(),
});

/** Unpacks the item of a row. @throws ValiError, Error or RangeError when the item is not a row. */
export const unpackRow = (value: unknown): TraceRow => {
  const { sk, d, v: version, c: contentVersion = version, i: incarnation } = v.parse(item, value);
  const packed = new PackedTrace(Buffer.from(sk.buffer, sk.byteOffset, sk.byteLength), d);
  const { traceId, startedAt, endedAt, name, status, userId, sessionId, tags, firstSpanAt, lastSpanAt } = packed;
  const { environment, release, spanCount, contributions, totalTokens, totalCost, arrivedAt, changedAt } =
    packed.laterFields;
  return {
    traceId,
    name,
    status,
    startedAt,
    endedAt,
    sessionId,
    userId,
    tags,
    environment,
    release,
    ending: packed.ending,
    spanCount,
    firstSpanAt,
    lastSpanAt,
    totalTokens,
    totalCost,
    contributions,
    facts: packed.facts,
    version,
    contentVersion,
    arrivedAt,
    changedAt,
    incarnation,
    pieces: piecesOf(packed, incarnation),
    appendState: packed.appendState,
  };
};
