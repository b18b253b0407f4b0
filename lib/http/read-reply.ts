import { Readable } from "node:stream";
import type { Route } from "../contract/route.ts";
import { type Coding, compressed, compressedStream, leastCompressed } from "./documents/compression.ts";
import { type Precondition, tagOfIdentity, tagOfText } from "./documents/entity-tag.ts";
import { FixedText } from "./documents/fixed-text.ts";
import { Identified } from "./documents/identified.ts";
import { JsonArray } from "./json-array.ts";
import type { ReplyWriter } from "./reply-writer.ts";

/** What a request says of the form of its answer. */
export interface Reading {
  readonly route: Route;
  /** Writes the route's replies. */
  readonly write: ReplyWriter;
  readonly isHead: boolean;
  readonly precondition: Precondition;
  /** How what is streamed is to be compressed; the gateway does so with the rest. */
  readonly coding: Coding | null;
}

/** What of a reply is sent. */
interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
  /** The answer that was read; none where it is not sent. */
  readonly answer?: unknown;
}

const unchanged = (tag: string): Sent => ({ status: 304, headers: { ETag: tag }, body: "" });

const encodingHeader = (coding: Coding | null): Record<string, string> =>
  coding === null ? {} : { "Content-Encoding": coding };

const textOf = ({ route: { media }, write }: Reading, answer: unknown): string =>
  media !== undefined && typeof answer === "string" ? answer : write(answer);

/** What streams has no length to tell, so that for a HEAD no body need be made. */
const isBodiless = ({ isHead, route }: Reading): boolean => isHead && route.streams === true;

/** A text as it is sent, compressed where that saves something. */
export const textReply = async (
  reading: Reading,
  text: string | FixedText,
): Promise<Pick<Sent, "headers" | "body">> => {
  const [plain, bytes] = text instanceof FixedText ? [text.text, text.bytes] : [text, Buffer.byteLength(text)];
  const coding = bytes >= leastCompressed ? reading.coding : null;
  const headers = encodingHeader(coding);
  if (isBodiless(reading)) return { headers, body: "" };
  if (coding === null) return { headers, body: plain };
  const sent = text instanceof FixedText ? text.compressed(coding) : compressed(text, coding);
  return { headers, body: Readable.from([await sent]) };
};

const wholeReply = async (reading: Reading, answer: unknown, tag: string | undefined): Promise<Sent> => {
  const { route, precondition } = reading;
  const text = answer instanceof FixedText ? answer : textOf(reading, answer);
  const ETag = tag ?? (text instanceof FixedText ? text.tag : tagOfText(text));
  if (precondition.hasAny || precondition.has(ETag)) return unchanged(ETag);
  const { headers, body } = await textReply(reading, text);
  return { status: route.success, headers: { ETag, ...headers }, body, answer };
};

const followedBy = async function* (
  chunks: AsyncIterable<string>,
  settle: () => Promise<void>,
): AsyncGenerator<string> {
  yield* chunks;
  await settle();
};

/** What an answer that comes bit by bit becomes. */
export const listReply = async (
  reading: Reading,
  answer: JsonArray,
  tag: string | undefined,
  settle: () => Promise<void>,
): Promise<Sent> => {
  const { route, write, precondition, coding } = reading;
  // Its beginning tells whether it can be read.
  const chunks = await answer.chunks(write);
  const isKnown = tag !== undefined && precondition.hasAny;
  if (isKnown || isBodiless(reading)) await settle();
  if (isKnown) return unchanged(tag);
  const head = {
    status: route.success,
    headers: { ...(tag !== undefined && { ETag: tag }), ...encodingHeader(coding) },
    answer,
  };
  if (isBodiless(reading)) return { ...head, body: "" };
  const source = Readable.from(followedBy(chunks, settle));
  return { ...head, body: coding === null ? source : compressedStream(source, coding) };
};

/**
 * What a handler's answer to a GET or HEAD becomes: nothing (304) for who has it, else its text.
 *
 * @param settle to be called once all is read.
 */
export const readReply = async (reading: Reading, answer: unknown, settle: () => Promise<void>): Promise<Sent> => {
  const tag = answer instanceof Identified ? tagOfIdentity(answer.identity) : undefined;
  if (tag !== undefined && reading.precondition.has(tag)) {
    await settle();
    return unchanged(tag);
  }
  const read: unknown = answer instanceof Identified ? await answer.read() : answer;
  if (read instanceof JsonArray) return listReply(reading, read, tag, settle);
  await settle();
  return wholeReply(reading, read, tag);
};
