import { brotliCompressSync, brotliDecompressSync, deflateRawSync, inflateRawSync } from "node:zlib";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { byteWriter } from "../../lib/store/bytes/writer.ts";
import { writeTail } from "../../lib/store/traces/row-tail.ts";
import type { Item, TableItems } from "./table-items.ts";

/** What no version knows. */
const later = { later: { added: ["by a later version", 1.5, null] } };
const laterAttribute: Item = { later: { M: { added: { L: [{ S: "by a later version" }, { N: "1.5" }] } } } };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const withLater = (value: Json): Json => ({ ...value, ...later });

/** The orders of runs, monitors and firings: JSON text, with objects of known fields in it. */
const laterInText = (text: string): string => {
  const value = JSON.parse(text) as Json;
  const { settings, watermark } = value;
  return JSON.stringify({
    ...withLater(value),
    ...(isObject(settings) && { settings: withLater(settings) }),
    ...(isObject(watermark) && { watermark: withLater(watermark) }),
  });
};

/** A score's fields by position: another one behind the last. */
const laterInScore = (packed: Uint8Array): Uint8Array =>
  deflateRawSync(JSON.stringify([...(JSON.parse(inflateRawSync(packed).toString()) as unknown[]), later]));

/** Packed hours are read from their beginning: more of them behind the end. */
const laterInPacked = (packed: Uint8Array): Uint8Array => Buffer.concat([packed, Buffer.from("later")]);

/** A packed row: a field behind its end with a number that no version knows. */
const laterInRow = (packed: Uint8Array): Uint8Array => {
  const tail = byteWriter();
  writeTail(tail, [[1_000, Buffer.from("later")]]);
  return Buffer.concat([packed, tail.finish()]);
};

/** How a table's packed items may grow. */
const laterIn = (table: string): ((packed: Uint8Array) => Uint8Array) =>
  table === "scores" ? laterInScore : table === "rows" ? laterInRow : laterInPacked;

/** A piece of a trace's document, where it lies in one part. */
const laterInPiece = (part: Uint8Array): Uint8Array => {
  const [encoding, body] = [part[0], part.subarray(1)];
  try {
    const text = (encoding === 1 ? brotliDecompressSync(body) : Buffer.from(body)).toString();
    const piece = JSON.parse(text) as Json;
    const { trace, spans, update } = piece;
    const more = {
      ...withLater(piece),
      ...(isObject(trace) && { trace: withLater(trace) }),
      ...(isObject(update) && { update: withLater(update) }),
      ...(Array.isArray(spans) && { spans: spans.map((span: Json) => withLater(span)) }),
    };
    return Buffer.concat([Buffer.of(1), brotliCompressSync(JSON.stringify(more))]);
  } catch {
    // Half of a document is no JSON.
    return part;
  }
};

/** What a later version may put into an attribute that is there. */
const extendedAttribute = (table: string, name: string, value: AttributeValue): AttributeValue => {
  if (name === "d" && value.S !== undefined) return { S: laterInText(value.S) };
  if (name === "d" && value.B !== undefined) return { B: laterIn(table)(value.B) };
  if (name === "b" && value.B !== undefined) return { B: laterInPiece(value.B) };
  if (table === "aggregates" && value.B !== undefined) return { B: laterInPacked(value.B) };
  if (name === "used" && value.L !== undefined) return { L: [...value.L, { N: "1" }] };
  if ((name === "books" || name === "latest") && value.M !== undefined)
    return {
      M: Object.fromEntries(
        Object.entries(value.M).map(([key, inner]) => [
          key,
          inner.M === undefined ? inner : { M: { ...inner.M, ...laterAttribute } },
        ]),
      ),
    };
  return value;
};

const keys = new Set(["pk", "sk"]);

/** An item as a later version may write it: an attribute that is not known, and more in those that are. */
const extended =
  (table: string) =>
  (item: Item): Item => ({
    ...Object.fromEntries(
      Object.entries(item).map(([name, value]) => [
        name,
        keys.has(name) ? value : extendedAttribute(table, name, value),
      ]),
    ),
    ...laterAttribute,
  });

/** Items as a later version may write them. */
export const extendedItems = (items: TableItems): TableItems =>
  Object.fromEntries(Object.entries(items).map(([table, own]) => [table, own.map(extended(table))]));

const sortOfLater = (sk: AttributeValue): AttributeValue =>
  sk.B === undefined ? { S: "later#1" } : { B: sk.B.length < 24 ? Buffer.of(255) : Buffer.alloc(24, 255) };

const foreign = (pk: AttributeValue, sk: AttributeValue): Item => ({ pk, sk: sortOfLater(sk), ...laterAttribute });

/** Items of kinds that are not known, one beside those of each partition. */
export const foreignItems = (items: TableItems): TableItems =>
  Object.fromEntries(
    Object.entries(items).map(([table, own]) => {
      const partitions = new Map(
        own.flatMap(({ pk, sk }) => (pk === undefined || sk === undefined ? [] : [[JSON.stringify(pk), { pk, sk }]])),
      );
      return [table, [...partitions.values()].map(({ pk, sk }) => foreign(pk, sk))];
    }),
  );
