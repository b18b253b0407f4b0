import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { type Endpoint, listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";

/** A request on its way to a service. */
export interface Passing {
  readonly method: string;
  /** Path with query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A reply on its way back to the client. */
export interface PassingReply {
  readonly status: number;
  /** Reply headers; undefined values are omitted. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Bytes after which the connection is closed, regardless of the declared length. */
  readonly cutAfter?: number;
}

/** Changes a reply, or returns it unchanged. */
export type Change = (request: Passing, reply: PassingReply) => PassingReply | Promise<PassingReply>;

/** Headers that belong to one connection or depend on the body. */
const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding", "content-length"]);

/**
 * Starts a proxy in front of a service that modifies its replies.
 * @param beforeRequest awaited before each request is forwarded.
 */
export const startBreakingProxy = (
  baseUrl: string,
  change: Change,
  beforeRequest: () => Promise<void> = async () => undefined,
): Promise<Endpoint> => {
  const { hostname, port } = new URL(baseUrl);
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const asking = request({ hostname, port, method, path, headers }, (response) => {
      const answer = async (): Promise<void> => {
        const reply = { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
        const { status, headers: replyHeaders, body, cutAfter } = await change({ method, path, headers }, reply);
        const forwardedHeaders = Object.entries(replyHeaders).filter(
          ([name, value]) => value !== undefined && !ofConnection.has(name),
        );
        outgoing.writeHead(status, { ...Object.fromEntries(forwardedHeaders), "content-length": body.length });
        if (cutAfter === undefined) outgoing.end(body);
        else outgoing.write(body.subarray(0, cutAfter), () => outgoing.destroy());
      };
      answer().catch(() => outgoing.destroy());
    });
    // A service that replies before reading the whole request may close the connection; its reply counts.
    asking.on("error", () => (outgoing.writableEnded ? undefined : outgoing.destroy()));
    incoming.pipe(asking);
  };
  const server = createServer((incoming, outgoing) => void beforeRequest().then(() => pass(incoming, outgoing)));
  return listenOnLoopback(server);
};
