import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** A request as the fake received it. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
}

/** How the fake answers: status and JSON body, or anything else a behaviour does to the response. */
type ProviderReply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse, call: ReceivedCall) => void);

/** A server of any protocol on 127.0.0.1 that keeps what it was asked. */
export interface FakeProvider {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** Replies by order; the last one goes on for ever. Forgets the calls. */
  script(...replies: readonly ProviderReply[]): void;
  close(): Promise<void>;
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Starts the fake. */
export const startFakeProvider = async (): Promise<FakeProvider> => {
  const calls: ReceivedCall[] = [];
  let replies: readonly ProviderReply[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request);
    const { method = "", url = "", headers } = request;
    const call = { method, path: url, headers, text: sent, body: parsed(sent) };
    calls.push(call);
    const reply = replies[Math.min(calls.length, replies.length) - 1];
    if (typeof reply === "function") return reply(response, call);
    const { status = 500, body = null, headers: own = {} } = reply ?? {};
    response.writeHead(status, { "content-type": "application/json", ...own }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The fake provider has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    script: (...given) => {
      replies = given;
      calls.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
