/** Thrown for bytes that are not a valid protobuf message. */
export class MalformedMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MalformedMessage";
  }
}

/** Protobuf's wire types, which define the encoding of a field's value; the deprecated groups are not supported. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads protobuf's wire format. Every read checks the end of the buffer first, since lengths come from the sender. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Reads the number and wire type of the next field. @throws MalformedMessage for an invalid field number. */
  tag(): { readonly field: number; readonly type: number } {
    const tag = Number(this.varint());
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (field < 1 || field > 0x1fff_ffff) throw new MalformedMessage("A field has an invalid number.");
    return { field, type };
  }

  /** Reads a varint: an unsigned number of at most 64 bits. @throws MalformedMessage after 10 bytes. */
  varint(): bigint {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new MalformedMessage("A number is longer than 10 bytes.");
  }

  fixed64(): bigint {
    return this.#take(8).readBigUInt64LE();
  }

  double(): number {
    return this.#take(8).readDoubleLE();
  }

  fixed32(): number {
    return this.#take(4).readUInt32LE();
  }

  bytes(): Buffer {
    return this.#take(Number(this.varint()));
  }

  /** Reads a text. Bytes that are not valid UTF-8, as of half a character, are replaced: they could not be stored. */
  text(): string {
    return utf8.decode(this.bytes());
  }

  /** Skips the value of an unknown field. @throws MalformedMessage for an unknown wire type. */
  skip(type: number): void {
    if (type === wireTypes.varint) this.varint();
    else if (type === wireTypes.fixed64) this.#take(8);
    else if (type === wireTypes.bytes) this.bytes();
    else if (type === wireTypes.fixed32) this.#take(4);
    else throw new MalformedMessage("A field has an unknown wire type.");
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new MalformedMessage("The message ends too early.");
    this.#at += 1;
    return byte;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new MalformedMessage("The message ends too early.");
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}
