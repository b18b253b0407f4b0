import { type DeclaredValue, costSources, type NumberedNames, type SpanFacts } from "../../../domain/traces/facts.ts";
import { noProvenance, type TraceProvenance } from "../../../domain/traces/provenance.ts";
import type { FirstError } from "../../../domain/traces/first-error.ts";
import type { RowFacts } from "../../../domain/traces/row.ts";
import { instantBytes, instantLength, instantOf } from "../../../dynamo/bytes/instant.ts";
import { ByteReader } from "../../../dynamo/bytes/reader.ts";
import { readText, writeText } from "../../../dynamo/bytes/text.ts";
import { byteWriter, type ByteWriter } from "../../../dynamo/bytes/writer.ts";
import { writeTail } from "../../../dynamo/bytes/writer.ts";
import { tailFields } from "../../documents/tail-fields.ts";

type Field = readonly [field: number, bytes: Uint8Array];

/** Writes sorted name numbers, each as its distance from the one before. */
const writeNames = (writer: ByteWriter, { numbers, hasMore }: NumberedNames): void => {
  writer.whole(numbers.length * 2 + (hasMore ? 1 : 0));
  numbers.forEach((number, index) => writer.whole(number - (numbers[index - 1] ?? 0)));
};

const readNames = (reader: ByteReader): NumberedNames => {
  const head = reader.whole();
  let number = 0;
  const numbers = Array.from({ length: Math.floor(head / 2) }, () => (number += reader.whole()));
  return { numbers, hasMore: head % 2 === 1 };
};

const packedWith = (write: (writer: ByteWriter) => void): Buffer => {
  const writer = byteWriter();
  write(writer);
  return writer.finish();
};

const packSpans = ({ errors, models, tools, costs, unpricedTokens }: SpanFacts): Buffer =>
  packedWith((writer) => {
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
  packedWith((writer) => {
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

/** Packs what spans name. Builds before ids and datasets of experiments read the fields up to the item. */
const packProvenance = ({ prompts, experiment, experimentItem, experimentId, dataset }: TraceProvenance): Buffer =>
  packedWith((writer) => {
    writer.whole(prompts.length);
    for (const { name, version } of prompts) {
      writeText(writer, name);
      writeText(writer, version);
    }
    for (const text of [experiment, experimentItem]) writeText(writer, text);
    if (experimentId !== null || dataset !== null) for (const text of [experimentId, dataset]) writeText(writer, text);
  });

const readProvenance = (bytes: Uint8Array): TraceProvenance => {
  const reader = new ByteReader(bytes);
  return {
    prompts: Array.from({ length: reader.whole() }, () => ({ name: readText(reader), version: readText(reader) })),
    experiment: readText(reader),
    experimentItem: readText(reader),
    experimentId: reader.at < reader.length ? readText(reader) : null,
    dataset: reader.at < reader.length ? readText(reader) : null,
  };
};

const packError = ({ at, text }: FirstError): Buffer => Buffer.concat([instantBytes(at), Buffer.from(text, "utf8")]);

const readError = (bytes: Uint8Array): FirstError => {
  const buffer = Buffer.from(bytes);
  return { at: instantOf(buffer), text: buffer.toString("utf8", instantLength) };
};

const isKnown = ({ prompts, ...labels }: TraceProvenance): boolean =>
  prompts.length > 0 || Object.values(labels).some((label) => label !== null);

/** Truncates a text to at most `room` bytes of UTF-8, without splitting a character. */
const cutTo = (text: string, room: number): string => {
  let [bytes, cut] = [0, ""];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    cut += character;
  }
  return cut;
};

/** Bytes before a preview: its field number and length. */
const headBytes = 3;

const tailOf = (fields: readonly Field[]): Buffer => packedWith((writer) => writeTail(writer, fields));

/**
 * Encodes a row's facts as fields for the tail of its packed form; empty fields are omitted.
 *
 * @param roomAfter returns the bytes left for the preview after the given number of other bytes.
 */
export const packFacts = (
  { spans, preview, metadata, provenance, firstError }: RowFacts,
  roomAfter: (bytes: number) => number,
): Buffer => {
  const otherFields = tailOf([
    [tailFields.spans, packSpans(spans)],
    ...(metadata.length > 0 ? ([[tailFields.metadata, packMetadata(metadata)]] as const) : []),
    ...(isKnown(provenance) ? ([[tailFields.provenance, packProvenance(provenance)]] as const) : []),
    ...(firstError === null ? [] : ([[tailFields.firstError, packError(firstError)]] as const)),
  ]);
  const room = roomAfter(otherFields.length) - headBytes;
  if (preview === null || room <= 0) return otherFields;
  return Buffer.concat([otherFields, tailOf([[tailFields.preview, Buffer.from(cutTo(preview, room), "utf8")]])]);
};

/** Decodes a row's facts; null for a row without them. */
export const factsFromFields = (fields: ReadonlyMap<number, Uint8Array>): RowFacts | null => {
  const [spans, preview, metadata, provenance, firstError] = [
    tailFields.spans,
    tailFields.preview,
    tailFields.metadata,
    tailFields.provenance,
    tailFields.firstError,
  ].map((field) => fields.get(field));
  if (spans === undefined) return null;
  return {
    spans: readSpans(spans),
    preview: preview === undefined ? null : Buffer.from(preview).toString("utf8"),
    metadata: metadata === undefined ? [] : readMetadata(metadata),
    provenance: provenance === undefined ? noProvenance : readProvenance(provenance),
    firstError: firstError === undefined ? null : readError(firstError),
  };
};
