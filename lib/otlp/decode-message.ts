import type { Field, FieldKind, Message } from "./messages.ts";
import { MalformedMessage, WireReader, wireTypes } from "./wire-reader.ts";

/** A message in the form of OTLP's JSON: 64-bit numbers as text, ids as hex digits, bytes as base64. */
export type Decoded = Readonly<Record<string, unknown>>;

/** Messages in messages: protobuf's own readers stop there, too. */
const maxDepth = 100;

/** A message of more parts than are taken. */
export class OversizedMessage extends Error {
  override readonly name = "OversizedMessage";
}

/** How many messages in a message may still come. */
interface Room {
  left: number;
}

const wireTypeOf = (kind: FieldKind): number => {
  if (typeof kind === "function") return wireTypes.bytes;
  switch (kind) {
    case "bool":
    case "int64":
    case "uint32":
      return wireTypes.varint;
    case "fixed64":
    case "double":
      return wireTypes.fixed64;
    case "fixed32":
      return wireTypes.fixed32;
    case "text":
    case "bytes":
    case "hex":
      return wireTypes.bytes;
    default:
      return kind satisfies never;
  }
};

const number = (value: number): unknown => (Number.isFinite(value) ? value : String(value));

const read = (reader: WireReader, kind: FieldKind, depth: number, room: Room): unknown => {
  if (typeof kind === "function") return decode(reader.bytes(), kind(), depth + 1, room);
  switch (kind) {
    case "text":
      return reader.text();
    case "bool":
      return reader.varint() !== 0n;
    case "int64":
      return String(BigInt.asIntN(64, reader.varint()));
    case "uint32":
      return Number(BigInt.asUintN(32, reader.varint()));
    case "fixed64":
      return String(reader.fixed64());
    case "fixed32":
      return reader.fixed32();
    case "double":
      return number(reader.double());
    case "bytes":
      return reader.bytes().toString("base64");
    case "hex":
      return reader.bytes().toString("hex");
    default:
      return kind satisfies never;
  }
};

const decode = (bytes: Buffer, message: Message, depth: number, room: Room): Decoded => {
  if (depth > maxDepth) throw new MalformedMessage("The message is nested too deeply.");
  room.left -= 1;
  if (room.left < 0) throw new OversizedMessage("The message has too many parts.");
  const reader = new WireReader(bytes);
  const fields: Record<string, unknown> = {};
  const lists: Record<string, unknown[]> = {};
  while (!reader.done) {
    const { field, type } = reader.tag();
    const known: Field | undefined = message.get(field);
    if (known === undefined || wireTypeOf(known[1]) !== type) {
      reader.skip(type);
      continue;
    }
    const [name, kind, repeated] = known;
    const value = read(reader, kind, depth, room);
    if (repeated === undefined) fields[name] = value;
    else (lists[name] ??= []).push(value);
  }
  return { ...fields, ...lists };
};

/**
 * Decodes a protobuf message by its table; fields the table does not have are passed over, as protobuf asks for.
 *
 * @param most messages in it, counted while it is decoded: two bytes are one.
 * @throws MalformedMessage when the bytes are not such a message; OversizedMessage when they are more than `most`.
 */
export const decodeMessage = (bytes: Buffer, message: Message, most = Number.POSITIVE_INFINITY): Decoded =>
  decode(bytes, message, 0, { left: most });
