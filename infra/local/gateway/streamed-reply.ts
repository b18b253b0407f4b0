import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { GatewayFault, plainHttpHeaders } from "./gateway-response.ts";
import { replyHead } from "./proxy-reply.ts";

const delimiter = Buffer.alloc(8);

/** Receives the bytes of a streamed reply: JSON with status and headers, eight zero bytes, then the body. */
export interface StreamedReply {
  write(data: Uint8Array): void;
  /** Ends the reply. @throws GatewayFault 502 when the head was incomplete or malformed. */
  end(): void;
  /** True once status and headers have been sent, when no other reply is possible. */
  readonly isStarted: boolean;
}

/** Forwards a function's streamed reply to the client chunk by chunk. Not supported: back-pressure. */
export const streamedReply = (
  response: ServerResponse,
  gatewayHeaders: Readonly<Record<string, string>>,
): StreamedReply => {
  let head: Buffer = Buffer.alloc(0);
  let isStarted = false;
  let isMalformed = false;

  const begin = (prelude: Buffer): void => {
    try {
      const { statusCode, headers } = replyHead(JSON.parse(prelude.toString()));
      response.writeHead(statusCode, { ...gatewayHeaders, ...plainHttpHeaders(headers) } as OutgoingHttpHeaders);
      isStarted = true;
    } catch {
      // Reported by `end`: an error thrown here would only reach the sandbox's channel.
      isMalformed = true;
    }
  };
  return {
    get isStarted() {
      return isStarted;
    },
    write: (data) => {
      if (isStarted) {
        response.write(data);
        return;
      }
      if (isMalformed) return;
      head = Buffer.concat([head, data]);
      const at = head.indexOf(delimiter);
      if (at === -1) return;
      begin(head.subarray(0, at));
      const bodyStart = head.subarray(at + delimiter.length);
      if (isStarted && bodyStart.length > 0) response.write(bodyStart);
    },
    end: () => {
      if (!isStarted) throw new GatewayFault("DEFAULT_5XX");
      response.end();
    },
  };
};
