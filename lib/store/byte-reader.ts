/** Reads what `byteWriter` wrote, in the same order. @throws RangeError past the end. */
export const byteReader = (bytes: Uint8Array) => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  const take = (length: number): Buffer => {
    const taken = buffer.subarray(at, at + length);
    if (taken.length < length) throw new RangeError("The packed item ends too early.");
    at += length;
    return taken;
  };

  return {
    byte: (): number => take(1).readUInt8(),
    whole: (): number => {
      let [value, factor] = [0, 1];
      for (;;) {
        const byte = take(1).readUInt8();
        value += (byte & 127) * factor;
        if (byte < 128) return value;
        factor *= 128;
      }
    },
    double: (): number => take(8).readDoubleBE(),
    raw: (length: number): Buffer => take(length),
    /** Whether everything has been read. */
    atEnd: (): boolean => at === buffer.length,
  };
};

export type ByteReader = ReturnType<typeof byteReader>;
