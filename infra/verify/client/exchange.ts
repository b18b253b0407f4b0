import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** A request as it goes out. `path` stands behind the deployment's address, with its query. */
export interface Wire {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: string | Uint8Array | undefined;
  /** On a connection of its own, on which no other request follows. */
  readonly alone?: boolean;
}

/** A reply as it came; its text is decompressed. `body` is the parsed JSON where it says that it is some, else the text. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly body: unknown;
  /** From the request's beginning to the reply's last byte. */
  readonly milliseconds: number;
}

/** The beginning of what a reply says, for people. */
export const saying = ({ status, text }: Reply): string => `${status} ${text.slice(0, 200)}`.trim();

/** Sends requests to a deployment. */
export interface Exchange {
  /** @throws Error in words when there is no whole reply in time, and whatever the signal was aborted with. */
  readonly send: (wire: Wire) => Promise<Reply>;
  readonly close: () => void;
}

export interface ExchangeOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Milliseconds a request may take. */
  readonly patience: number;
  /** Once it is aborted no request begins; those under way come to their end. */
  readonly signal: AbortSignal;
  /** Told of every reply. */
  readonly witness: (wire: Wire, reply: Reply) => void;
}

const bodyOf = (type: string | undefined, text: string): unknown =>
  type === "application/json" && text !== "" ? JSON.parse(text) : text;

/** The text of a body. @throws Error when it is not what its `Content-Encoding` says. */
const textOf = (bytes: Buffer, encoding: string | undefined): string => {
  if (bytes.length === 0 || encoding === undefined) return bytes.toString();
  return (encoding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString();
};

/** The whole of a reply. @throws Error when its connection ended before. */
const read = async (response: IncomingMessage): Promise<Buffer> => {
  try {
    return await buffer(response);
  } catch {
    throw new Error("the reply was cut off");
  }
};

const reason = (error: unknown, patience: number): string => {
  if (!(error instanceof Error)) return String(error);
  return error.name === "TimeoutError" || error.name === "AbortError"
    ? `there was no whole reply within ${patience / 1000} s`
    : error.message;
};

/** Requests over connections that are kept. Nothing is repeated and no redirect followed: what comes is what is judged. */
export const openExchange = ({ baseUrl, patience, signal, witness }: ExchangeOptions): Exchange => {
  const secure = baseUrl.startsWith("https:");
  const newAgent = () => (secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true }));
  const shared = newAgent();
  const request = secure ? httpsRequest : httpRequest;

  const respond = ({ method, path, headers = {}, bytes }: Wire, agent: HttpAgent): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sending = request(baseUrl + path, { method, agent, headers, signal: AbortSignal.timeout(patience) });
      sending.on("response", resolve);
      sending.on("error", reject);
      if (bytes !== undefined) sending.setHeader("Content-Length", Buffer.byteLength(bytes));
      sending.end(bytes);
    });

  return {
    send: async (wire) => {
      signal.throwIfAborted();
      const begun = performance.now();
      const agent = wire.alone === true ? newAgent() : shared;
      try {
        const response = await respond(wire, agent);
        const bytes = await read(response);
        const { statusCode: status = 0, headers } = response;
        const text = textOf(bytes, headers["content-encoding"]);
        const body = bodyOf(headers["content-type"], text);
        const reply = { status, headers, bytes, text, body, milliseconds: performance.now() - begun };
        witness(wire, reply);
        return reply;
      } catch (error) {
        throw new Error(`${wire.method} ${wire.path}: ${reason(error, patience)}`, { cause: error });
      } finally {
        if (agent !== shared) agent.destroy();
      }
    },
    close: () => shared.destroy(),
  };
};
