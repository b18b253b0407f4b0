import type { ByteReader } from "../../dynamo/bytes/reader.ts";
import type { ByteWriter } from "../../dynamo/bytes/writer.ts";

/**
 * Writes fields that packed rows gained after their format was fixed, after the end of the row: each has a number,
 * its length and its bytes. Code that does not know a field skips it, so that two versions of the service can read the
 * same rows.
 */
export const writeTail = (writer: ByteWriter, fields: Iterable<readonly [field: number, bytes: Uint8Array]>): void => {
  for (const [field, bytes] of fields) {
    writer.whole(field);
    writer.whole(bytes.length);
    writer.raw(bytes);
  }
};

/** Reads the fields from the reader's position to the end; their bytes are not copied. */
export const readTail = (reader: ByteReader): ReadonlyMap<number, Uint8Array> => {
  const fields = new Map<number, Uint8Array>();
  while (reader.at < reader.length) {
    const field = reader.whole();
    fields.set(field, reader.raw(reader.whole()));
  }
  return fields;
};
