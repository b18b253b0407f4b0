/** Bytes for a packed item: numbers take as few as they need, the first seven bits of each byte count. */
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
    /** A whole number of 0 or more, up to 2^53. */
    whole: (value: number): void => {
      let rest = value;
      while (rest >= 128) {
        bytes.push((rest % 128) | 128);
        rest = Math.floor(rest / 128);
      }
      bytes.push(rest);
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
