import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** An HTTP request to the deployment. `path` is relative to the base URL and includes the query. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: string | Uint8Array | undefined;
  /** True to use a new connection that no other request shares. */
  readonly hasOwnConnection?: boolean;
}

/** An HTTP reply. `text` is decompressed; `body` is the parsed JSON for the media type application/json, else the text. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly body: unknown;
  /** Time from the start of the request to the last byte of the reply. */
  readonly milliseconds: number;
}

/** Formats a reply for messages: the status and the first 200 characters of the text. */
export const replyExcerpt = ({ status, text }: Reply): string => `${status} ${text.slice(0, 200)}`.trim();

/** Sender of requests to a deployment. */
export interface Exchange {
  /** Sends a request. @throws Error when there is no complete reply in time; the signal's reason once it is aborted. */
  readonly send: (rawRequest: RawRequest) => Promise<Reply>;
  readonly close: () => void;
}

/** Options of an exchange. */
export interface ExchangeOptions {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  /** Maximum milliseconds of a request. */
  readonly timeout: number;
  /** Signal that prevents new requests; requests in flight are completed. */
  readonly signal: AbortSignal;
  /** Called with every reply. */
  readonly onReply: (rawRequest: RawRequest, reply: Reply) => void;
}

const bodyOf = (type: string | undefined, text: string): unknown =>
  type === "application/json" && text !== "" ? JSON.parse(text) : text;

/** Decodes a body to text. @throws Error when the body does not match its `Content-Encoding`. */
const textOf = (bytes: Buffer, encoding: string | undefined): string => {
  if (bytes.length === 0 || encoding === undefined) return bytes.toString();
  return (encoding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString();
};

/** Reads the complete body of a reply. @throws Error when the connection closes before the end. */
const readAll = async (response: IncomingMessage): Promise<Buffer> => {
  try {
    return await buffer(response);
  } catch {
    throw new Error("the reply was cut off");
  }
};

const failureReason = (error: unknown, timeout: number): string => {
  if (!(error instanceof Error)) return String(error);
  return error.name === "TimeoutError" || error.name === "AbortError"
    ? `no complete reply within ${timeout / 1000} s`
    : error.message;
};

/** Opens an exchange with keep-alive connections. Never retries or follows redirects, so that each reply itself is checked. */
export const openExchange = ({ baseUrl, timeout, signal, onReply }: ExchangeOptions): Exchange => {
  const isHttps = baseUrl.startsWith("https:");
  const newAgent = () => (isHttps ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true }));
  const sharedAgent = newAgent();
  const request = isHttps ? httpsRequest : httpRequest;

  const respond = ({ method, path, headers = {}, bytes }: RawRequest, agent: HttpAgent): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const outgoing = request(baseUrl + path, { method, agent, headers, signal: AbortSignal.timeout(timeout) });
      outgoing.on("response", resolve);
      outgoing.on("error", reject);
      if (bytes !== undefined) outgoing.setHeader("Content-Length", Buffer.byteLength(bytes));
      outgoing.end(bytes);
    });

  return {
    send: async (rawRequest) => {
      signal.throwIfAborted();
      const startedAt = performance.now();
      const agent = rawRequest.hasOwnConnection === true ? newAgent() : sharedAgent;
      try {
        const response = await respond(rawRequest, agent);
        const bytes = await readAll(response);
        const { statusCode: status = 0, headers } = response;
        const text = textOf(bytes, headers["content-encoding"]);
        const body = bodyOf(headers["content-type"], text);
        const reply = { status, headers, bytes, text, body, milliseconds: performance.now() - startedAt };
        onReply(rawRequest, reply);
        return reply;
      } catch (error) {
        throw new Error(`${rawRequest.method} ${rawRequest.path}: ${failureReason(error, timeout)}`, { cause: error });
      } finally {
        if (agent !== sharedAgent) agent.destroy();
      }
    },
    close: () => sharedAgent.destroy(),
  };
};

/** Seconds to wait after a refused reply, where its `Retry-After` gives none. */
const defaultPause = 1;

/** Returns an exchange that sends a request again when its rate limit allows it: a deployment may have low ones (`limitFactor`). */
export const withinLimits = (exchange: Exchange, wait: (milliseconds: number) => Promise<void>): Exchange => ({
  ...exchange,
  send: async (rawRequest) => {
    for (;;) {
      const reply = await exchange.send(rawRequest);
      if (reply.status !== 429) return reply;
      await wait((Number(reply.headers["retry-after"]) || defaultPause) * 1000);
    }
  },
});
