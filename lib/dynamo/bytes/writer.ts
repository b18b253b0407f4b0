/** Builds the bytes of a packed item. Integers are variable-length: seven bits per byte, the lowest first. */
export const byteWriter = () => {
  const bytes: number[] = [];
  const chunks: Uint8Array[] = [];

  const flush = (): void => {
    if (bytes.length > 0) chunks.push(Uint8Array.from(bytes.splice(0)));
  };

  return {
    byte: (value: number): void => {
      bytes.push(value);
    },
    /** Writes an integer of 0 or more, up to 2^53. */
    whole: (value: number): void => {
      let remainder = value;
      while (remainder >= 128) {
        bytes.push((remainder % 128) | 128);
        remainder = Math.floor(remainder / 128);
      }
      bytes.push(remainder);
    },
    double: (value: number): void => {
      flush();
      const buffer = Buffer.alloc(8);
      buffer.writeDoubleBE(value);
      chunks.push(buffer);
    },
    raw: (value: Uint8Array): void => {
      flush();
      chunks.push(value);
    },
    finish: (): Buffer => {
      flush();
      return Buffer.concat(chunks);
    },
  };
};

export type ByteWriter = ReturnType<typeof byteWriter>;

/**
 * Writes fields that packed items gained after their format was fixed, after the end of the item: each has a number,
 * its length and its bytes. Code that does not know a field skips it, so that two versions of the service can read the
 * same items.
 */
export const writeTail = (writer: ByteWriter, fields: Iterable<readonly [field: number, bytes: Uint8Array]>): void => {
  for (const [field, bytes] of fields) {
    writer.whole(field);
    writer.whole(bytes.length);
    writer.raw(bytes);
  }
};
