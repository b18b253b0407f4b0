import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, constants, inflateRawSync } from "node:zlib";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../../lib/dynamo/database.ts";
import { tableNames } from "../../../lib/dynamo/table.ts";
import { scoreTexts } from "../../../lib/store/scores/packed-text.ts";

/** Ways in which the service stores bytes; the beginning of a split document can be read, too. */
const decoders: readonly ((bytes: Uint8Array) => string)[] = [
  (bytes) => Buffer.from(bytes).toString(),
  (bytes) => inflateRawSync(bytes).toString(),
  (bytes) => scoreTexts.unpack(bytes),
  (bytes) => brotliDecompressSync(bytes.subarray(1), { finishFlush: constants.BROTLI_OPERATION_FLUSH }).toString(),
];

const decoded = (bytes: Uint8Array, decode: (bytes: Uint8Array) => string): string => {
  try {
    return decode(bytes);
  } catch {
    return "";
  }
};

const textsOf = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  if (value instanceof Uint8Array) return decoders.map((decode) => decoded(value, decode));
  if (value instanceof Set) return [...value].flatMap(textsOf);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
};

/** Scans all tables for texts, compressed ones included. @returns table and key of each item that has one. */
export const itemsWithTexts = async (database: Database, texts: readonly string[]): Promise<readonly string[]> => {
  const items: string[] = [];
  for (const table of tableNames) {
    const input = { TableName: database.table(table), ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: database.client }, input))
      for (const item of Items)
        if (textsOf(item).some((stored) => texts.some((text) => stored.includes(text))))
          items.push(`${table} ${textsOf(item["pk"])[0]} ${textsOf(item["sk"])[0]}`);
  }
  return items;
};

/** Looks for texts in all files of a running service but its programs and its database, which is scanned. @returns the files' names. */
export const filesWithTexts = (directory: string, texts: readonly string[]): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/handlers|cdk\.out|compile-cache|dynamodb/u.test(path.slice(directory.length)))
    .filter((path) => {
      const content = readFileSync(path, "utf8");
      return texts.some((text) => content.includes(text));
    });
