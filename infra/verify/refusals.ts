import { isDeepStrictEqual } from "node:util";
import { gatewayResponses } from "../api/gateway-responses.ts";
import { saying } from "./client/caller.ts";
import type { Reply } from "./client/exchange.ts";
import { isNamed } from "./question.ts";

/** What a refusal has to be. `body` is all of it. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  /** Headers with exactly these values. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The refusal that the gateway makes by itself, as the template has it. */
export const gatewayRefusal = (type: string, status: number, headers: Refusal["headers"] = {}): Refusal => {
  const template = gatewayResponses[type];
  if (template === undefined) throw new Error(`The template has no gateway response ${type}.`);
  return { status, body: JSON.parse(template.responseTemplates["application/json"]), headers };
};

/** In what a reply is not the refusal that it should be. @param what was asked, for the answer's words. */
export const misfits = (what: string, reply: Reply, { status, body, headers = {} }: Refusal): readonly string[] => {
  if (reply.status !== status || !isDeepStrictEqual(reply.body, body))
    return [`${what} answered ${saying(reply)} in place of ${status} ${JSON.stringify(body)}`];
  const wrong = Object.entries(headers).filter(([name, value]) => reply.headers[name.toLowerCase()] !== value);
  return [
    ...wrong.map(([name, value]) => `${what} has no ${name}: ${value}`),
    ...(isNamed(reply) ? [] : [`${what} has no X-Request-ID`]),
  ];
};
