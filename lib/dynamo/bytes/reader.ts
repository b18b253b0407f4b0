/** Reader of bytes written by `byteWriter`, in the same order. @throws RangeError past the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  /** Offset of the next byte. */
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new RangeError("The packed item ends too early.");
    this.at += 1;
    return byte;
  }

  /** Reads an integer of 0 or more. */
  whole(): number {
    let byte = this.byte();
    if (byte < 128) return byte;
    let [value, factor] = [0, 1];
    while (byte >= 128) {
      value += (byte & 127) * factor;
      factor *= 128;
      byte = this.byte();
    }
    return value + byte * factor;
  }

  double(): number {
    return this.raw(8).readDoubleBE();
  }

  /** Reads `length` bytes without copying them. */
  raw(length: number): Buffer {
    const start = this.at;
    this.skip(length);
    return this.#bytes.subarray(start, this.at);
  }

  /** Reads `length` bytes of UTF-8 text. */
  text(length: number): string {
    const start = this.at;
    this.skip(length);
    return this.#bytes.toString("utf8", start, this.at);
  }

  skip(length: number): void {
    if (this.at + length > this.#bytes.length) throw new RangeError("The packed item ends too early.");
    this.at += length;
  }
}

/** Reads the fields from the reader's position to the end; their bytes are not copied. */
export const readTail = (reader: ByteReader): ReadonlyMap<number, Uint8Array> => {
  const fields = new Map<number, Uint8Array>();
  while (reader.at < reader.length) {
    const field = reader.whole();
    fields.set(field, reader.raw(reader.whole()));
  }
  return fields;
};
