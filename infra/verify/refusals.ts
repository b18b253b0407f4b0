import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { errorPlace } from "../../lib/contract/error-place.ts";
import { type ErrorCode, errorCodes } from "../../lib/domain/error-codes.ts";
import { gatewayResponses, stageAddress } from "../api/gateway-responses.ts";
import { saying } from "./client/exchange.ts";
import type { Reply } from "./client/exchange.ts";
import { isNamed } from "./question.ts";

/** What a refusal has to be. `body` is all of it but what tells of the request. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly body: unknown;
  /** Headers with exactly these values. */
  readonly headers?: Readonly<Record<string, string>>;
}

const isCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(errorCodes, code);

const templates = gatewayResponses({ address: stageAddress, requestsPerSecond: 1, origins: [] });

/** The refusal that the gateway makes by itself, as the template has it. */
export const gatewayRefusal = (type: string, status: number, headers: Refusal["headers"] = {}): Refusal => {
  const template = templates[type];
  if (template === undefined) throw new Error(`The template has no gateway response ${type}.`);
  const said: unknown = JSON.parse(template.responseTemplates["application/json"]);
  const { code, request_id: _, documentation_url: __, ...body } = v.parse(refused, said);
  if (!isCode(code)) throw new Error(`The gateway response ${type} has no code.`);
  return { status, code, body, headers };
};

const refused = v.looseObject({ code: v.string(), request_id: v.string(), documentation_url: v.string() });

/** Whether a reply's body is the refusal, and tells of its own request. */
const isRefusal = (reply: Reply, { code: expected, body: wanted }: Refusal): boolean => {
  const parsed = v.safeParse(refused, reply.body);
  if (!parsed.success) return false;
  const { code, request_id, documentation_url, ...body } = parsed.output;
  return (
    code === expected &&
    // That a reply has none is said apart.
    request_id === (reply.headers["x-request-id"] ?? request_id) &&
    documentation_url.endsWith(errorPlace(expected)) &&
    isDeepStrictEqual(body, wanted)
  );
};

/** In what a reply is not the refusal that it should be. @param what was asked, for the answer's words. */
export const misfits = (what: string, reply: Reply, refusal: Refusal): readonly string[] => {
  const { status, code, body, headers = {} } = refusal;
  if (reply.status !== status || !isRefusal(reply, refusal))
    return [`${what} answered ${saying(reply)} in place of ${status} ${code} ${JSON.stringify(body)}`];
  const wrong = Object.entries(headers).filter(([name, value]) => reply.headers[name.toLowerCase()] !== value);
  return [
    ...wrong.map(([name, value]) => `${what} has no ${name}: ${value}`),
    ...(isNamed(reply) ? [] : [`${what} has no X-Request-ID`]),
  ];
};
