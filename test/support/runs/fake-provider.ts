import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** A request received by the fake provider. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed JSON body; undefined for other content. */
  readonly body: unknown;
}

/** A scripted reply: status and JSON body, or a function that writes any response. */
type ProviderReply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse, call: ReceivedCall) => void);

/** A server on 127.0.0.1 for any provider protocol that records its requests. */
export interface FakeProvider {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** Sets the next replies in order, of which the last repeats, and clears the recorded calls. */
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

/** Starts the fake provider. */
export const startFakeProvider = async (): Promise<FakeProvider> => {
  const calls: ReceivedCall[] = [];
  let replies: readonly ProviderReply[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bodyText = await text(request);
    const { method = "", url = "", headers } = request;
    const call = { method, path: url, headers, text: bodyText, body: parsed(bodyText) };
    calls.push(call);
    const reply = replies[Math.min(calls.length, replies.length) - 1];
    if (typeof reply === "function") return reply(response, call);
    const { status = 500, body = null, headers: replyHeaders = {} } = reply ?? {};
    response.writeHead(status, { "content-type": "application/json", ...replyHeaders }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The fake provider has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    script: (...newReplies) => {
      replies = newReplies;
      calls.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
