import type { DeclaredValue } from "../../../domain/traces/declared.ts";
import { costSources, type NumberedNames, type SpanFacts } from "../../../domain/traces/facts.ts";
import type { RowFacts } from "../../../domain/traces/row.ts";
import { ByteReader } from "../../bytes/reader.ts";
import { readText, writeText } from "../../bytes/text.ts";
import { byteWriter, type ByteWriter } from "../../bytes/writer.ts";
import { writeTail } from "../row-tail.ts";

/** Numbers of the fields behind a row's end; those below are others'. */
const factFields = { spans: 10, preview: 11, metadata: 12 } as const;

type Field = readonly [field: number, bytes: Uint8Array];

/** Numbers rise: each is written as its distance from the one before. */
const writeNames = (writer: ByteWriter, { numbers, more }: NumberedNames): void => {
  writer.whole(numbers.length * 2 + (more ? 1 : 0));
  numbers.forEach((number, index) => writer.whole(number - (numbers[index - 1] ?? 0)));
};

const readNames = (reader: ByteReader): NumberedNames => {
  const head = reader.whole();
  let number = 0;
  const numbers = Array.from({ length: Math.floor(head / 2) }, () => (number += reader.whole()));
  return { numbers, more: head % 2 === 1 };
};

const packed = (write: (writer: ByteWriter) => void): Buffer => {
  const writer = byteWriter();
  write(writer);
  return writer.finish();
};

const packSpans = ({ errors, models, tools, costs, unpricedTokens }: SpanFacts): Buffer =>
  packed((writer) => {
    writer.whole(errors);
    writeNames(writer, models);
    writeNames(writer, tools);
    writer.whole(costs.reduce((bits, source) => bits + 2 ** costSources.indexOf(source), 0));
    writer.whole(unpricedTokens);
  });

const readSpans = (bytes: Uint8Array): SpanFacts => {
  const reader = new ByteReader(bytes);
  const [errors, models, tools, bits] = [reader.whole(), readNames(reader), readNames(reader), reader.whole()];
  const costs = costSources.filter((_source, index) => Math.floor(bits / 2 ** index) % 2 === 1);
  return { errors, models, tools, costs, unpricedTokens: reader.whole() };
};

const packMetadata = (values: readonly DeclaredValue[]): Buffer =>
  packed((writer) => {
    for (const { key, value } of values) {
      writeText(writer, key);
      writeText(writer, value);
    }
  });

const readMetadata = (bytes: Uint8Array): readonly DeclaredValue[] => {
  const reader = new ByteReader(bytes);
  const values: DeclaredValue[] = [];
  while (reader.at < reader.length) values.push({ key: readText(reader) ?? "", value: readText(reader) });
  return values;
};

/** As much of a text as `room` bytes of UTF-8 hold, whole characters. */
const cutTo = (text: string, room: number): string => {
  let [bytes, cut] = [0, ""];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    cut += character;
  }
  return cut;
};

/** Bytes in front of a preview: the field's number and its length. */
const headBytes = 3;

const tailOf = (fields: readonly Field[]): Buffer => packed((writer) => writeTail(writer, fields));

/**
 * What a row says of its trace, as fields behind its end; those that say nothing are left out.
 *
 * @param roomAfter says how many bytes are left for the preview behind so many others.
 */
export const packFacts = ({ spans, preview, metadata }: RowFacts, roomAfter: (bytes: number) => number): Buffer => {
  const others = tailOf([
    [factFields.spans, packSpans(spans)],
    ...(metadata.length > 0 ? ([[factFields.metadata, packMetadata(metadata)]] as const) : []),
  ]);
  const room = roomAfter(others.length) - headBytes;
  if (preview === null || room <= 0) return others;
  return Buffer.concat([others, tailOf([[factFields.preview, Buffer.from(cutTo(preview, room), "utf8")]])]);
};

/** What a row says of its trace; null when it was written before rows said it. */
export const factsFromFields = (fields: ReadonlyMap<number, Uint8Array>): RowFacts | null => {
  const [spans, preview, metadata] = [factFields.spans, factFields.preview, factFields.metadata].map((field) =>
    fields.get(field),
  );
  if (spans === undefined) return null;
  return {
    spans: readSpans(spans),
    preview: preview === undefined ? null : Buffer.from(preview).toString("utf8"),
    metadata: metadata === undefined ? [] : readMetadata(metadata),
  };
};
