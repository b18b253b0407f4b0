import { brotliCompressSync, brotliDecompressSync, deflateRawSync } from "node:zlib";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { byteWriter } from "../../lib/dynamo/bytes/writer.ts";
import { writeTail } from "../../lib/dynamo/bytes/writer.ts";
import { scoreTexts } from "../../lib/store/scores/packed-text.ts";
import type { Item, TableItems } from "./table-items.ts";

/** An attribute unknown to every version. */
const later = { later: { added: ["by a later version", 1.5, null] } };
const laterAttribute: Item = { later: { M: { added: { L: [{ S: "by a later version" }, { N: "1.5" }] } } } };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const withLater = (value: Json): Json => ({ ...value, ...later });

/** Adds a field to the JSON text of orders of runs, monitors and firings, including nested objects. */
const laterInText = (text: string): string => {
  const value = JSON.parse(text) as Json;
  const { settings, watermark } = value;
  return JSON.stringify({
    ...withLater(value),
    ...(isObject(settings) && { settings: withLater(settings) }),
    ...(isObject(watermark) && { watermark: withLater(watermark) }),
  });
};

/** Appends a field to a packed score, whose fields are positional. */
const laterInScore = (packed: Uint8Array): Uint8Array =>
  deflateRawSync(JSON.stringify([...(JSON.parse(scoreTexts.unpack(packed)) as unknown[]), later]));

/** Appends bytes to packed hours, which are read from the beginning. */
const laterInPacked = (packed: Uint8Array): Uint8Array => Buffer.concat([packed, Buffer.from("later")]);

/** Appends a field with an unknown number to a packed row. */
const laterInRow = (packed: Uint8Array): Uint8Array => {
  const tail = byteWriter();
  writeTail(tail, [[1_000, Buffer.from("later")]]);
  return Buffer.concat([packed, tail.finish()]);
};

/** Returns the function that extends a table's packed items. */
const laterIn = (table: string): ((packed: Uint8Array) => Uint8Array) =>
  table === "scores" ? laterInScore : table === "rows" ? laterInRow : laterInPacked;

/** Extends a document piece that is stored in one part. */
const laterInPiece = (part: Uint8Array): Uint8Array => {
  const [encoding, body] = [part[0], part.subarray(1)];
  try {
    const text = (encoding === 1 ? brotliDecompressSync(body) : Buffer.from(body)).toString();
    const piece = JSON.parse(text) as Json;
    const { trace, spans, update } = piece;
    const extraItem = {
      ...withLater(piece),
      ...(isObject(trace) && { trace: withLater(trace) }),
      ...(isObject(update) && { update: withLater(update) }),
      ...(Array.isArray(spans) && { spans: spans.map((span: Json) => withLater(span)) }),
    };
    return Buffer.concat([Buffer.of(1), brotliCompressSync(JSON.stringify(extraItem))]);
  } catch {
    // A part of a document split in several is not valid JSON.
    return part;
  }
};

/** Extends an existing attribute as a later version might. */
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

/** An item as a later version might write it: with an unknown attribute and extended existing ones. */
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

/** Items as a later version might write them. */
export const extendedItems = (items: TableItems): TableItems =>
  Object.fromEntries(Object.entries(items).map(([table, tableItems]) => [table, tableItems.map(extended(table))]));

const sortOfLater = (sk: AttributeValue): AttributeValue =>
  sk.B === undefined ? { S: "later#1" } : { B: sk.B.length < 24 ? Buffer.of(255) : Buffer.alloc(24, 255) };

const foreign = (pk: AttributeValue, sk: AttributeValue): Item => ({ pk, sk: sortOfLater(sk), ...laterAttribute });

/** Items of unknown kinds, one in each partition. */
export const foreignItems = (items: TableItems): TableItems =>
  Object.fromEntries(
    Object.entries(items).map(([table, tableItems]) => {
      const partitions = new Map(
        tableItems.flatMap(({ pk, sk }) =>
          pk === undefined || sk === undefined ? [] : [[JSON.stringify(pk), { pk, sk }]],
        ),
      );
      return [table, [...partitions.values()].map(({ pk, sk }) => foreign(pk, sk))];
    }),
  );
