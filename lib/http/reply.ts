import { errorDocsPath, type ErrorCode } from "../domain/error-codes.ts";
import { type Route, securityHeaders } from "../contract/route.ts";
import type { RefusalReason, Refusal } from "../domain/refusal.ts";
import { violationsBody } from "./violations.ts";

/** HTTP reply in the form of a Lambda proxy integration. */
export interface Reply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True if `body` is base64-encoded binary data. */
  readonly isBase64Encoded?: true;
}

/** HTTP status and error code by kind of refusal. */
const statusAndCode = {
  invalid: [422, "validation_error"],
  unauthenticated: [401, "unauthenticated"],
  forbidden: [403, "forbidden"],
  "not-found": [404, "not_found"],
  conflict: [409, "conflict"],
  "too-large": [413, "too_large"],
  "unsupported-media-type": [415, "unsupported_media_type"],
  "rate-limited": [429, "rate_limited"],
  unavailable: [503, "unavailable"],
} as const satisfies Record<RefusalReason["kind"], readonly [status: number, code: ErrorCode]>;

/** Returns the HTTP status of a refusal. */
export const statusOf = ({ kind }: RefusalReason): number => statusAndCode[kind][0];

/** Request data that error replies contain. */
export interface ErrorContext {
  readonly requestId: string;
  /** Base URL of the service as the client addressed it, without the route's path. */
  readonly serviceUrl: string;
}

const jsonHeaders = (requestId: string): Record<string, string> => ({
  "Content-Type": "application/json",
  "X-Request-ID": requestId,
  ...securityHeaders,
});

/** Returns the headers of a successful reply of a route. */
export const successHeaders = ({ media, headers }: Route, requestId: string): Record<string, string> => ({
  ...jsonHeaders(requestId),
  ...(media === undefined ? {} : { "Content-Type": media }),
  ...headers,
});

/** `Vary` values of GET replies, so that a cache does not serve a reply to another caller or in another encoding. */
const varied = {
  public: "Accept-Encoding",
  guarded: "Accept-Encoding, Authorization, X-API-Key, X-Project-ID, X-Project-Name, X-Organization-ID",
};

/** Returns the caching headers of every GET reply. Replies to verified callers are `private, no-cache`. */
export const readHeaders = ({ method, access, headers = {} }: Route): Record<string, string> => {
  if (method !== "GET") return {};
  const isGuarded = access !== "public";
  return {
    Vary: isGuarded ? varied.guarded : varied.public,
    ...(isGuarded && !("Cache-Control" in headers) && { "Cache-Control": "private, no-cache" }),
  };
};

/** Merges header objects; their `Vary` values are joined. */
export const mergeHeaders = (headerSets: readonly Readonly<Record<string, string>>[]): Record<string, string> => {
  const varied = headerSets.flatMap(({ Vary }) => Vary ?? []);
  return { ...Object.assign({}, ...headerSets), ...(varied.length > 0 && { Vary: varied.join(", ") }) };
};

const retryHeader = (reason: RefusalReason): Record<string, string> => {
  if (reason.kind === "rate-limited") return { "Retry-After": String(reason.retryAfter) };
  return reason.kind === "unavailable" ? { "Retry-After": "1" } : {};
};

/** Returns the members of an error body besides `detail`. */
const errorMembers = (code: ErrorCode, { requestId, serviceUrl }: ErrorContext) => ({
  code,
  request_id: requestId,
  documentation_url: `${serviceUrl}${errorDocsPath(code)}`,
});

/** Returns the reply for a refusal. */
export const refusalReply = ({ reason }: Refusal, context: ErrorContext): Reply => {
  const body = reason.kind === "invalid" ? violationsBody(reason.violations) : { detail: reason.detail };
  return {
    statusCode: statusOf(reason),
    headers: { ...jsonHeaders(context.requestId), ...retryHeader(reason) },
    body: JSON.stringify({ ...body, ...errorMembers(reason.code ?? statusAndCode[reason.kind][1], context) }),
  };
};

/** Returns the 500 reply for an internal fault, without details of the fault. */
export const faultReply = (context: ErrorContext): Reply => ({
  statusCode: 500,
  headers: jsonHeaders(context.requestId),
  body: JSON.stringify({ detail: "Internal Server Error", ...errorMembers("internal_error", context) }),
});
