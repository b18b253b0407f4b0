import { itemFields, type ProtobufField, type FieldKind, type ProtobufMessage } from "./protobuf-messages.ts";
import { MalformedMessage, WireReader, wireTypes } from "./wire-reader.ts";

/** A protobuf message decoded to OTLP's JSON encoding: 64-bit numbers as text, ids as hex digits, bytes as base64. */
export type DecodedMessage = Readonly<Record<string, unknown>>;

/** Max nesting depth of messages: over 200 levels of an attribute's value. */
const maxDepth = 750;

/** Thrown when a protobuf message contains more nested messages than allowed. */
export class OversizedMessage extends Error {
  override readonly name = "OversizedMessage";
}

/** Limit on the messages decoded from one request, and what of them is not read. */
interface Decoding {
  /** Number of messages that may still be decoded. */
  remaining: number;
  readonly flaws: Set<string>;
}

const wireTypeOf = (kind: FieldKind): number => {
  if (typeof kind === "function") return wireTypes.bytes;
  if (typeof kind === "object") return wireTypes.varint;
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

const jsonNumber = (value: number): unknown => (Number.isFinite(value) ? value : String(value));

const readField = (reader: WireReader, kind: FieldKind, depth: number, decoding: Decoding): unknown => {
  if (typeof kind === "function") return decode(reader.bytes(), kind(), depth + 1, decoding);
  if (typeof kind === "object") return Number(BigInt.asUintN(32, reader.varint()));
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
      return jsonNumber(reader.double());
    case "bytes":
      return reader.bytes().toString("base64");
    case "hex":
      return reader.bytes().toString("hex");
    default:
      return kind satisfies never;
  }
};

/** Reads an item. One that is malformed is empty, so that it is rejected alone, for want of an id. */
const readItem = (reader: WireReader, kind: FieldKind, depth: number, decoding: Decoding): unknown => {
  const bytes = reader.bytes();
  try {
    return typeof kind === "function" ? decode(bytes, kind(), depth + 1, decoding) : {};
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    decoding.flaws.add(`In an item: ${error.message}`);
    return {};
  }
};

const decode = (bytes: Buffer, message: ProtobufMessage, depth: number, decoding: Decoding): DecodedMessage => {
  if (depth > maxDepth) {
    decoding.flaws.add("What is nested too deeply is not read.");
    return {};
  }
  decoding.remaining -= 1;
  if (decoding.remaining < 0) throw new OversizedMessage("The message has too many nested messages.");
  const reader = new WireReader(bytes);
  const fields: Record<string, unknown> = {};
  const lists: Record<string, unknown[]> = {};
  while (!reader.isAtEnd) {
    const { field, type } = reader.tag();
    const definition: ProtobufField | undefined = message.get(field);
    if (definition === undefined || wireTypeOf(definition[1]) !== type) {
      reader.skip(type);
      continue;
    }
    const [name, kind, repeated] = definition;
    const value = (itemFields.has(name) ? readItem : readField)(reader, kind, depth, decoding);
    if (repeated === undefined) fields[name] = value;
    else (lists[name] ??= []).push(value);
  }
  return { ...fields, ...lists };
};

/**
 * Decodes a protobuf message by its field table; fields missing in the table are skipped, as protobuf requires.
 *
 * @param maxMessages max number of messages, the outer one included. They are counted while decoding, since two bytes can be a
 *   nested message.
 * @param flaws sentences about parts that are not read, which are added.
 * @throws MalformedMessage if the bytes are not a valid message; OversizedMessage if they contain more than `maxMessages`.
 */
export const decodeMessage = (
  bytes: Buffer,
  message: ProtobufMessage,
  maxMessages = Number.POSITIVE_INFINITY,
  flaws = new Set<string>(),
): DecodedMessage => decode(bytes, message, 0, { remaining: maxMessages, flaws });
