import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { GatewayFault } from "./gateway-response.ts";
import { replyHead } from "./proxy-reply.ts";

const delimiter = Buffer.alloc(8);

/** Takes the bytes of a streamed reply: JSON with status and headers, eight zero bytes, then the body. */
export interface StreamedReply {
  write(data: Uint8Array): void;
  /** @throws GatewayFault 502 when the head never came whole. */
  end(): void;
  /** Whether status and headers are on their way to the client: too late for another answer. */
  readonly started: boolean;
}

/** Passes a streamed reply on to the client as it comes. Does not do: back-pressure. */
export const streamedReply = (
  response: ServerResponse,
  gatewayHeaders: Readonly<Record<string, string>>,
): StreamedReply => {
  let head: Buffer = Buffer.alloc(0);
  let started = false;
  let broken = false;

  const begin = (prelude: Buffer): void => {
    try {
      const { statusCode, headers } = replyHead(JSON.parse(prelude.toString()));
      response.writeHead(statusCode, { ...gatewayHeaders, ...headers } as OutgoingHttpHeaders);
      started = true;
    } catch {
      // Said at the end: here only the sandbox's channel would hear of it.
      broken = true;
    }
  };
  return {
    get started() {
      return started;
    },
    write: (data) => {
      if (started) {
        response.write(data);
        return;
      }
      if (broken) return;
      head = Buffer.concat([head, data]);
      const at = head.indexOf(delimiter);
      if (at === -1) return;
      begin(head.subarray(0, at));
      const rest = head.subarray(at + delimiter.length);
      if (started && rest.length > 0) response.write(rest);
    },
    end: () => {
      if (!started) throw new GatewayFault("DEFAULT_5XX");
      response.end();
    },
  };
};
