import { Readable } from "node:stream";
import type { Route } from "../contract/route.ts";
import { type Coding, compressed, compressedStream, minCompressedBytes } from "./documents/compression.ts";
import { type Precondition, tagOfIdentity, tagOfText } from "./documents/entity-tag.ts";
import { FixedText } from "./documents/fixed-text.ts";
import { WithETag } from "./documents/with-etag.ts";
import { JsonArray } from "./json-array.ts";
import type { ReplyWriter } from "./reply-writer.ts";

/** Route and request properties that determine the form of a reply. */
export interface ReplyContext {
  readonly route: Route;
  /** JSON writer of the route's replies. */
  readonly write: ReplyWriter;
  readonly isHead: boolean;
  readonly precondition: Precondition;
  /** Compression of a streamed reply; null for no compression. API Gateway compresses replies that are not streamed. */
  readonly coding: Coding | null;
}

/** Status, headers and body of a reply. */
interface ReplyParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
  /** The handler's answer; absent in a 304 reply. */
  readonly answer?: unknown;
}

const notModified = (tag: string): ReplyParts => ({ status: 304, headers: { ETag: tag }, body: "" });

const encodingHeader = (coding: Coding | null): Record<string, string> =>
  coding === null ? {} : { "Content-Encoding": coding };

const textOf = ({ route: { media }, write }: ReplyContext, answer: unknown): string =>
  media !== undefined && typeof answer === "string" ? answer : write(answer);

/** True for a HEAD request on a streaming route: a stream has no Content-Length, so the body is not computed. */
const isBodiless = ({ isHead, route }: ReplyContext): boolean => isHead && route.streams === true;

/** Returns body and headers of a text reply, compressed on streaming routes if the text has at least `minCompressedBytes`. */
export const textReply = async (
  context: ReplyContext,
  text: string | FixedText,
): Promise<Pick<ReplyParts, "headers" | "body">> => {
  const [plain, bytes] = text instanceof FixedText ? [text.text, text.bytes] : [text, Buffer.byteLength(text)];
  const coding = bytes >= minCompressedBytes ? context.coding : null;
  const headers = encodingHeader(coding);
  if (isBodiless(context)) return { headers, body: "" };
  if (coding === null) return { headers, body: plain };
  const compressedBody = text instanceof FixedText ? text.compressedAs(coding) : compressed(text, coding);
  return { headers, body: Readable.from([await compressedBody]) };
};

const completeReply = async (context: ReplyContext, answer: unknown, tag: string | undefined): Promise<ReplyParts> => {
  const { route, precondition } = context;
  const text = answer instanceof FixedText ? answer : textOf(context, answer);
  const ETag = tag ?? (text instanceof FixedText ? text.tag : tagOfText(text));
  if (precondition.isWildcard || precondition.has(ETag)) return notModified(ETag);
  const { headers, body } = await textReply(context, text);
  return { status: route.success, headers: { ETag, ...headers }, body, answer };
};

const withReadsRecorded = async function* (
  chunks: AsyncIterable<string>,
  recordReads: () => Promise<void>,
): AsyncGenerator<string> {
  yield* chunks;
  await recordReads();
};

/**
 * Returns the streamed reply of an answer that is a `JsonArray`.
 *
 * @param tag ETag of the answer; undefined without an ETag.
 * @param recordReads called once all items have been read.
 */
export const listReply = async (
  context: ReplyContext,
  answer: JsonArray,
  tag: string | undefined,
  recordReads: () => Promise<void>,
): Promise<ReplyParts> => {
  const { route, write, precondition, coding } = context;
  // Reading the first item shows errors while they can still change the status.
  const chunks = await answer.chunks(write);
  const isNotModified = tag !== undefined && precondition.isWildcard;
  if (isNotModified || isBodiless(context)) await recordReads();
  if (isNotModified) return notModified(tag);
  const head = {
    status: route.success,
    headers: { ...(tag !== undefined && { ETag: tag }), ...encodingHeader(coding) },
    answer,
  };
  if (isBodiless(context)) return { ...head, body: "" };
  const source = Readable.from(withReadsRecorded(chunks, recordReads));
  return { ...head, body: coding === null ? source : compressedStream(source, coding) };
};

/**
 * Returns the reply to a GET or HEAD request: 304 without a body if `If-None-Match` has the answer's ETag, else the answer.
 *
 * @param recordReads called once everything has been read.
 */
export const getReply = async (
  context: ReplyContext,
  answer: unknown,
  recordReads: () => Promise<void>,
): Promise<ReplyParts> => {
  const tag = answer instanceof WithETag ? tagOfIdentity(answer.identity) : undefined;
  if (tag !== undefined && context.precondition.has(tag)) {
    await recordReads();
    return notModified(tag);
  }
  const value: unknown = answer instanceof WithETag ? await answer.compute() : answer;
  if (value instanceof JsonArray) return listReply(context, value, tag, recordReads);
  await recordReads();
  return completeReply(context, value, tag);
};
