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
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A reply on its way back. */
export interface PassingReply {
  readonly status: number;
  /** Undefined: not there. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Bytes after which the connection ends, however long the reply says that it is. */
  readonly cutAfter?: number;
}

/** Changes a reply, or hands it on as it is. */
export type Change = (request: Passing, reply: PassingReply) => PassingReply | Promise<PassingReply>;

/** Belong to the connection on either side, or follow from the body. */
const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding", "content-length"]);

/**
 * Stands in front of a service and hands out its replies as a function changes them.
 *
 * @param begin what every request waits for before it goes on to the service.
 */
export const startBreakingProxy = (
  baseUrl: string,
  change: Change,
  begin: () => Promise<void> = async () => undefined,
): Promise<Endpoint> => {
  const { hostname, port } = new URL(baseUrl);
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const asking = request({ hostname, port, method, path, headers }, (response) => {
      const answer = async (): Promise<void> => {
        const reply = { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
        const { status, headers: sent, body, cutAfter } = await change({ method, path, headers }, reply);
        const kept = Object.entries(sent).filter(([name, value]) => value !== undefined && !ofConnection.has(name));
        outgoing.writeHead(status, { ...Object.fromEntries(kept), "content-length": body.length });
        if (cutAfter === undefined) outgoing.end(body);
        else outgoing.write(body.subarray(0, cutAfter), () => outgoing.destroy());
      };
      answer().catch(() => outgoing.destroy());
    });
    // A service that answers before it has read everything may end its connection; its answer counts.
    asking.on("error", () => (outgoing.writableEnded ? undefined : outgoing.destroy()));
    incoming.pipe(asking);
  };
  const server = createServer((incoming, outgoing) => void begin().then(() => pass(incoming, outgoing)));
  return listenOnLoopback(server);
};
