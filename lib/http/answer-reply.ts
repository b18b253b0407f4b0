import { Readable } from "node:stream";
import { DryRun, ReplayedAnswer, Report, WithETag } from "./answers.ts";
import { compressed, compressedStream, minCompressedBytes } from "./documents/compression.ts";
import { tagOfIdentity, tagOfText } from "./documents/entity-tag.ts";
import { FixedText } from "./documents/fixed-text.ts";
import type { Exchange } from "./exchange.ts";
import { JsonArray } from "./json-array.ts";
import { nextLink } from "./paging.ts";
import type { ReplyWriter, ReplyWriters } from "./reply.ts";

/** Status, headers and body of a reply. */
interface ReplyParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
  /** The handler's answer; absent in a 304 reply. */
  readonly answer?: unknown;
}

const notModified = (tag: string, headers: ReplyParts["headers"] = {}): ReplyParts => ({
  status: 304,
  headers: { ETag: tag, ...headers },
  body: "",
});

const encodingHeader = (coding: Exchange["coding"]): Record<string, string> =>
  coding === null ? {} : { "Content-Encoding": coding };

/** True for a HEAD request on a streaming route: a stream has no Content-Length, so the body is not computed. */
const isBodiless = ({ event, route }: Exchange): boolean => event.httpMethod === "HEAD" && route.streams === true;

/** Returns body and headers of a text reply, compressed on streaming routes if the text has at least `minCompressedBytes`. */
const textReply = async (
  exchange: Exchange,
  text: string | FixedText,
): Promise<Pick<ReplyParts, "headers" | "body">> => {
  const [plain, bytes] = text instanceof FixedText ? [text.text, text.bytes] : [text, Buffer.byteLength(text)];
  const coding = bytes >= minCompressedBytes ? exchange.coding : null;
  const headers = encodingHeader(coding);
  if (isBodiless(exchange)) return { headers, body: "" };
  if (coding === null) return { headers, body: plain };
  const compressedBody = text instanceof FixedText ? text.compressedAs(coding) : compressed(text, coding);
  return { headers, body: Readable.from([await compressedBody]) };
};

const completeReply = async (
  exchange: Exchange,
  write: ReplyWriter,
  answer: unknown,
  tag: string | undefined,
): Promise<ReplyParts> => {
  const { route, precondition } = exchange;
  const isText = answer instanceof FixedText || (route.media !== undefined && typeof answer === "string");
  const text = isText ? answer : write(answer);
  const ETag = tag ?? (text instanceof FixedText ? text.tag : tagOfText(text));
  const ownHeaders = text instanceof FixedText ? text.headers : {};
  if (precondition.isWildcard || precondition.has(ETag)) return notModified(ETag, ownHeaders);
  const { headers, body } = await textReply(exchange, text);
  return { status: route.success, headers: { ETag, ...ownHeaders, ...headers }, body, answer };
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
 */
const listReply = async (
  exchange: Exchange,
  write: ReplyWriter,
  answer: JsonArray,
  tag: string | undefined,
  coding: Exchange["coding"],
): Promise<ReplyParts> => {
  const { route, precondition, recordReads } = exchange;
  // Reading the first item shows errors while they can still change the status.
  const chunks = await answer.chunks(write);
  const isNotModified = tag !== undefined && precondition.isWildcard;
  if (isNotModified || isBodiless(exchange)) await recordReads();
  if (isNotModified) return notModified(tag);
  const headers: Record<string, string> = {
    ...(tag !== undefined && { ETag: tag }),
    ...encodingHeader(coding),
  };
  const head = {
    status: route.success,
    headers,
    answer,
  };
  if (isBodiless(exchange)) return { ...head, body: "" };
  const source = Readable.from(withReadsRecorded(chunks, recordReads));
  return { ...head, body: coding === null ? source : compressedStream(source, coding) };
};

/** Returns the reply to a GET or HEAD request: 304 without a body if `If-None-Match` has the answer's ETag, else the answer. */
const getReply = async (exchange: Exchange, write: ReplyWriter, answer: unknown): Promise<ReplyParts> => {
  const tag = answer instanceof WithETag ? tagOfIdentity(answer.identity) : undefined;
  if (tag !== undefined && exchange.precondition.has(tag)) {
    await exchange.recordReads();
    return notModified(tag);
  }
  const value: unknown = answer instanceof WithETag ? await answer.compute() : answer;
  if (value instanceof JsonArray) return listReply(exchange, write, value, tag, exchange.coding);
  await exchange.recordReads();
  return completeReply(exchange, write, value, tag);
};

/** Returns the reply to a POST, PATCH or DELETE request; its body is empty for status 204. */
const changeReply = async (exchange: Exchange, writers: ReplyWriters, result: unknown): Promise<ReplyParts> => {
  const isAlternative = result instanceof DryRun || result instanceof Report;
  const status = isAlternative ? 200 : exchange.route.success;
  const answer: unknown = isAlternative ? result.answer : result;
  const write = result instanceof DryRun ? writers.dryRun : result instanceof Report ? writers.report : writers.reply;
  await exchange.recordReads();
  if (answer instanceof FixedText) return { status, body: answer.text, headers: answer.headers };
  const text = answer instanceof ReplayedAnswer ? answer.text : write(answer);
  return { status, answer, ...(await textReply(exchange, status === 204 ? "" : text)) };
};

/** Returns the `Link` header to the next page; no header on the last page. */
const linkHeader = ({ event }: Exchange, answer: unknown): Record<string, string> => {
  const cursor: unknown = answer instanceof JsonArray ? answer.nextCursor : Object(answer).next_cursor;
  return typeof cursor === "string" ? nextLink(event, cursor) : {};
};

/** Returns status, body and the answer's own headers of the reply to a handler's result. Streamed items are read later. */
export const answerReply = async (
  exchange: Exchange,
  writers: ReplyWriters,
  result: unknown,
): Promise<Omit<ReplyParts, "answer">> => {
  const build = (): Promise<ReplyParts> => {
    if (exchange.route.method === "GET") return getReply(exchange, writers.reply, result);
    // No compression: a compressor would delay items that the client should see at once.
    if (result instanceof JsonArray) return listReply(exchange, writers.reply, result, undefined, null);
    return changeReply(exchange, writers, result);
  };
  const { status, headers, body, answer } = await build();
  return { status, headers: { ...headers, ...linkHeader(exchange, answer) }, body };
};
