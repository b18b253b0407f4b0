import type { ByteReader } from "../bytes/reader.ts";
import type { ByteWriter } from "../bytes/writer.ts";

/**
 * What a packed row has gained since its form was fixed: fields behind its end, each a number that names it, its length and
 * its bytes. Code that does not know a field skips it, and code from before fields does not look behind the end; so a row is
 * read by functions of either version while both are at work.
 */
export const writeTail = (writer: ByteWriter, fields: Iterable<readonly [field: number, bytes: Uint8Array]>): void => {
  for (const [field, bytes] of fields) {
    writer.whole(field);
    writer.whole(bytes.length);
    writer.raw(bytes);
  }
};

/** The fields from where the reader stands to its end; the bytes are not copied. */
export const readTail = (reader: ByteReader): ReadonlyMap<number, Uint8Array> => {
  const fields = new Map<number, Uint8Array>();
  while (reader.at < reader.length) {
    const field = reader.whole();
    fields.set(field, reader.raw(reader.whole()));
  }
  return fields;
};
