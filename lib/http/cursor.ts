import { createHash } from "node:crypto";
import * as v from "valibot";
import { noPosition, type Position } from "../domain/page.ts";

/** What a cursor holds: the list that it is of, how many items came before, and the last of them. */
interface Cursor {
  readonly list: string;
  readonly offset: number;
  readonly after: Position;
}

/** Of this form; another one is refused, and whoever has it begins anew. */
const version = 1;

const stored = v.strictTuple([
  v.literal(version),
  v.string(),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  v.nullable(v.union([v.string(), v.pipe(v.number(), v.finite())])),
  v.string(),
]);

/** Names a list by all that says which one it is, in a few characters. */
export const listName = (parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 12);

export const encodeCursor = ({ list, offset, after }: Cursor): string =>
  Buffer.from(JSON.stringify([version, list, offset, after.key, after.id])).toString("base64url");

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
};

/** @throws Refusal `invalid` for a cursor of another list, and for what is none. */
export const decodeCursor = (text: string, list: string): Omit<Cursor, "list"> => {
  const read = v.safeParse(stored, parsed(text));
  if (!read.success) throw noPosition();
  const [, of, offset, key, id] = read.output;
  if (of !== list) throw noPosition();
  return { offset, after: { key, id } };
};
