import { request as requestPlain, type IncomingMessage } from "node:http";
import { request as requestTls } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { keepAliveAgents } from "../../aws/keep-alive.ts";
import type { Tokens } from "../../prices/price.ts";
import {
  CallError,
  failureOfReply,
  foreignReplyFailure,
  timeoutFailure,
  unreachableFailure,
  unsentFailure,
} from "./call-failure.ts";
import type { ReplyHeaders } from "./call-failure.ts";
import type { Failure } from "./provider.ts";
import { fieldsOf, parseJson } from "./reply.ts";
import { streamedReply } from "./streamed-reply.ts";

/** Maximum bytes read from a reply, far more than any verdict has. */
const maxBytes = 1024 * 1024;

/**
 * Longest idle time of a connection in milliseconds: servers of Node.js and uvicorn close theirs after 5 s. A call on a closed one
 * fails, and the budget is charged for what it may have cost.
 */
const maxIdle = 4_000;

/**
 * Longest time in milliseconds until a connection is established, TLS included. An address that nothing answers takes no more than this
 * of a judgement's time, so that another attempt is left.
 */
const maxConnectTime = 10_000;

const { httpAgent, httpsAgent, closeIdle } = keepAliveAgents(maxIdle, Number.POSITIVE_INFINITY);
const plainHttp = { request: requestPlain, agent: httpAgent, connectEvent: "connect" };
const tls = { request: requestTls, agent: httpsAgent, connectEvent: "secureConnect" };

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Decompresses a reply: some servers compress although the request has no `Accept-Encoding` header. */
const decode = (response: IncomingMessage): Readable => {
  const decoder = decoders[response.headers["content-encoding"]?.toLowerCase() ?? ""];
  // `pipeline` passes an error of the response on to the decoder, whose reader handles it.
  return decoder === undefined ? response : pipeline(response, decoder(), () => {});
};

/** Decoder that removes a byte order mark. */
const utf8 = new TextDecoder();

const readAtMost = (stream: Readable, limit: number): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  stream
    .on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= limit) stream.destroy();
    })
    .on("error", reject)
    .on("close", () => resolve(utf8.decode(Buffer.concat(chunks))));
  return promise;
};

/** User agent of calls to providers: package and version. */
const userAgent = "assay";

/** A POST request to a provider. */
interface BoundedPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
}

/** A provider's complete reply. */
interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly text: string;
}

/**
 * Sends a POST and reads the whole reply, up to 1 MiB, before it resolves: the abort signal also bounds a slow body, and an
 * endless body cannot fill the memory. Redirects are returned, never followed: they would send the key to another host. Connections are
 * kept alive, but not used again after a pause.
 *
 * Rejects with a `CallError` for an unbilled call if no connection was established: the address is unknown, the server refuses, TLS
 * fails, or none is made within ten seconds.
 *
 * Uses `node:http`, because the web streams of `fetch` took a quarter of a judgement's CPU time.
 */
export const boundedPost = async ({ url, headers, body, signal }: BoundedPost): Promise<Reply> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request, agent, connectEvent } = url.protocol === "https:" ? tls : plainHttp;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const options = {
    method: "POST",
    agent,
    signal,
    headers: { ...headers, "content-length": bytes.byteLength, "user-agent": userAgent },
  };
  closeIdle();
  let isConnected = false;
  let connectTimer: NodeJS.Timeout | undefined;
  const setConnected = (): void => {
    isConnected = true;
    clearTimeout(connectTimer);
  };
  let response: IncomingMessage;
  try {
    const sending = request(url, options).on("response", resolve).on("error", reject);
    connectTimer = setTimeout(() => sending.destroy(), maxConnectTime);
    sending.on("socket", (socket) => {
      if (sending.reusedSocket) setConnected();
      else socket.once(connectEvent, setConnected);
    });
    sending.end(bytes);
    response = await promise;
  } catch (error) {
    throw isConnected ? error : new CallError(unsentFailure);
  } finally {
    clearTimeout(connectTimer);
  }
  const text = await readAtMost(decode(response), maxBytes);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
};

/** Returns the URL of a path below a base URL, which may end in a slash. */
export const urlBelow = (base: string, path: string): URL => new URL(path, base.endsWith("/") ? base : `${base}/`);

/** A POST request with a JSON body. */
export interface Post {
  readonly url: URL;
  /** JSON text, or its bytes. */
  readonly body: string | Uint8Array;
  /** Returns the authentication headers. @throws CallError when no credential can be obtained. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Ends the call at its time-out. */
  readonly signal: AbortSignal;
  /** Reads the tokens in the usage of a reply, which one with an error may have too. */
  readonly tokensOf: (usage: unknown) => Tokens;
}

/** A provider's successful reply with its JSON; undefined for other content. */
export interface JsonReply extends Reply {
  readonly json: unknown;
}

/**
 * Makes one call, without retries, and returns its successful reply. Errors of the server, also those within a reply of a successful
 * status, and of the connection become failures.
 */
export const postBounded = async (post: Post, now: () => number): Promise<JsonReply | Failure> => {
  const { url, body, signal, tokensOf } = post;
  try {
    const requestHeaders = { "content-type": "application/json", ...(await post.headers()) };
    const reply = await boundedPost({ url, headers: requestHeaders, body, signal });
    const json = parseJson(reply.text) ?? streamedReply(reply.text);
    const failure = failureOfReply(reply.status, reply.headers, json, now());
    return failure === null ? { ...reply, json } : { ...failure, tokens: tokensOf(fieldsOf(json)["usage"]) };
  } catch (error) {
    if (error instanceof CallError) return error.failure;
    return signal.aborted ? timeoutFailure : unreachableFailure;
  }
};

/** The reply of a successful call, or its failure. */
export type PostResult = { readonly kind: "reply"; readonly reply: unknown } | Failure;

/** Makes one call like `postBounded` and parses its reply. */
export const postJson = async (post: Post, now: () => number): Promise<PostResult> => {
  const result = await postBounded(post, now);
  if ("kind" in result) return result;
  return result.json === undefined ? foreignReplyFailure : { kind: "reply", reply: result.json };
};

/** Returns the first failure among results. */
export const firstFailure = (results: readonly PostResult[]): Failure | undefined =>
  results.find((result) => result.kind === "failure");

/** Returns the reply of a call; null for a failed one. */
export const replyOf = (result: PostResult): unknown => (result.kind === "reply" ? result.reply : null);
