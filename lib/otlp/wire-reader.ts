/** Bytes that are no protobuf message. */
export class MalformedMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MalformedMessage";
  }
}

/** How a field's value lies in the bytes: protobuf's wire types, groups left out. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads protobuf's wire format. Every read checks its end first: lengths are a stranger's. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next field's number and wire type. @throws MalformedMessage for field 0 and wire types that do not exist. */
  tag(): { readonly field: number; readonly type: number } {
    const tag = Number(this.varint());
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (field < 1 || field > 0x1fff_ffff) throw new MalformedMessage("A field has an impossible number.");
    return { field, type };
  }

  /** An unsigned number of at most 64 bits. */
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

  /** @throws MalformedMessage when it is not UTF-8: what would be stored is not what was sent. */
  text(): string {
    const bytes = this.bytes();
    try {
      return utf8.decode(bytes);
    } catch {
      throw new MalformedMessage("A text is not valid UTF-8.");
    }
  }

  /** Passes over the value of a field that is not known. */
  skip(type: number): void {
    if (type === wireTypes.varint) this.varint();
    else if (type === wireTypes.fixed64) this.#take(8);
    else if (type === wireTypes.bytes) this.bytes();
    else if (type === wireTypes.fixed32) this.#take(4);
    else throw new MalformedMessage("A field has a wire type that is not in use.");
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
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
