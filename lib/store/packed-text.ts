import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** 36 characters of a UUID as their 16 bytes. */
export const uuidBytes = (id: string): Buffer => Buffer.from(id.replaceAll("-", ""), "hex");

/** The UUID of 16 bytes, in lower case. */
export const uuidOf = (bytes: Uint8Array): string => {
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** Texts often end with a UUID, as in `session-…`; it takes 16 bytes instead of 36. */
const plain = 0;
const withUuid = 1;

/** Writes a text or null. */
export const writeText = (writer: ByteWriter, text: string | null): void => {
  if (text === null) {
    writer.whole(0);
    return;
  }
  const match = uuid.exec(text);
  const ends = match !== null && match.index + match[0].length === text.length;
  const head = Buffer.from(ends ? text.slice(0, match.index) : text, "utf8");
  writer.whole(1 + head.length * 2 + (ends ? withUuid : plain));
  writer.raw(head);
  if (ends) writer.raw(uuidBytes(match[0]));
};

/** Reads a text or null. */
export const readText = (reader: ByteReader): string | null => {
  const tag = reader.whole();
  if (tag === 0) return null;
  const head = reader.raw((tag - 1) >> 1).toString("utf8");
  return (tag - 1) % 2 === withUuid ? head + uuidOf(reader.raw(16)) : head;
};
