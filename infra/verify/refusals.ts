import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { errorDocsPath, type ErrorCode, errorCodes } from "../../lib/domain/error-codes.ts";
import { gatewayResponses, stageAddress } from "../api/gateway-responses.ts";
import { replyExcerpt, type Reply } from "./client/exchange.ts";
import { hasRequestId } from "./check.ts";

/** An expected error reply. `body` is the body without `code`, `request_id` and `documentation_url`. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly body: unknown;
  /** Required headers with their exact values. */
  readonly headers?: Readonly<Record<string, string>>;
}

const isCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(errorCodes, code);

const templates = gatewayResponses({ address: stageAddress, requestsPerSecond: 1, origins: [] });

const refusalBody = v.looseObject({ code: v.string(), request_id: v.string(), documentation_url: v.string() });

/** Returns the expected error reply for a gateway response type, from the CDK template. */
export const gatewayRefusal = (type: string, status: number, headers: Refusal["headers"] = {}): Refusal => {
  const template = templates[type];
  if (template === undefined) throw new Error(`The template has no gateway response ${type}.`);
  const templateBody: unknown = JSON.parse(template.responseTemplates["application/json"]);
  const { code, request_id: _, documentation_url: __, ...body } = v.parse(refusalBody, templateBody);
  if (!isCode(code)) throw new Error(`The gateway response ${type} has no code.`);
  return { status, code, body, headers };
};

/** Refusal by the gateway's usage plan. */
export const throttled = gatewayRefusal("THROTTLED", 429, { "Retry-After": "1" });

/** True if a reply's body is the expected refusal, with the id of its own request and the matching documentation URL. */
const isRefusal = (reply: Reply, { code: expected, body: expectedBody }: Refusal): boolean => {
  const parsed = v.safeParse(refusalBody, reply.body);
  if (!parsed.success) return false;
  const { code, request_id, documentation_url, ...body } = parsed.output;
  return (
    code === expected &&
    // A missing X-Request-ID header is reported separately.
    request_id === (reply.headers["x-request-id"] ?? request_id) &&
    documentation_url.endsWith(errorDocsPath(expected)) &&
    isDeepStrictEqual(body, expectedBody)
  );
};

/** Lists the differences between a reply and an expected refusal. @param requestLabel name of the request in the texts */
export const refusalProblems = (requestLabel: string, reply: Reply, refusal: Refusal): readonly string[] => {
  const { status, code, body, headers = {} } = refusal;
  if (reply.status !== status || !isRefusal(reply, refusal))
    return [`${requestLabel} answered ${replyExcerpt(reply)} instead of ${status} ${code} ${JSON.stringify(body)}`];
  const wrongHeaders = Object.entries(headers).filter(([name, value]) => reply.headers[name.toLowerCase()] !== value);
  return [
    ...wrongHeaders.map(([name, value]) => `${requestLabel} has no ${name}: ${value}`),
    ...(hasRequestId(reply) ? [] : [`${requestLabel} has no X-Request-ID`]),
  ];
};
