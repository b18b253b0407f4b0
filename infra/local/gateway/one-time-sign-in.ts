import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isFromThisMachine } from "./developer-credential.ts";
import type { GatewayReply } from "./gateway-response.ts";
import { requestBody } from "./request-body.ts";

/** Path at which the console exchanges the one-time value of its address. A deployment has no such path. */
const path = "/local-sign-in";

/** Session of the developer for the console. */
interface DeveloperSession {
  readonly token: string;
  readonly project_id: string;
}

/** One-time values that sign the console in, so that its address contains no token. */
export interface OneTimeSignIn {
  /** Creates a value that `answer` accepts once. */
  issue(): string;
  /** Answers the exchange of a value for a session; null for any other request. */
  answer(message: IncomingMessage): Promise<GatewayReply | null>;
}

/** @param session creates the developer's session. @param onUse called after each sign-in. */
export const oneTimeSignIn = (session: () => Promise<DeveloperSession>, onUse: () => void): OneTimeSignIn => {
  const values = new Set<string>();
  const reply = (status: number, body: object): GatewayReply => ({
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify(body),
  });
  return {
    issue: () => {
      const value = randomBytes(24).toString("base64url");
      values.add(value);
      return value;
    },
    answer: async (message) => {
      if (message.method !== "POST" || message.url !== path) return null;
      const value = await requestBody(message);
      if (!isFromThisMachine(message) || !values.delete(value.toString()))
        return reply(401, { detail: "This address was used before. The terminal of npm start shows another one." });
      const developer = await session();
      onUse();
      return reply(200, developer);
    },
  };
};
