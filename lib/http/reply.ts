import { errorPlace } from "../contract/error-place.ts";
import type { Route } from "../contract/route.ts";
import type { ErrorCode } from "../domain/error-codes.ts";
import type { Reason, Refusal } from "../domain/refusal.ts";
import { securityHeaders } from "../contract/security-headers.ts";
import { violationsBody } from "./violations.ts";

export interface Reply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body is base64 of what is to be sent. */
  readonly isBase64Encoded?: true;
}

/** The status and the code that answer a refusal, by its kind. */
const answers = {
  invalid: [422, "validation_error"],
  unauthenticated: [401, "unauthenticated"],
  forbidden: [403, "forbidden"],
  "not-found": [404, "not_found"],
  conflict: [409, "conflict"],
  "too-large": [413, "too_large"],
  "unsupported-media-type": [415, "unsupported_media_type"],
  "rate-limited": [429, "rate_limited"],
  unavailable: [503, "unavailable"],
} as const satisfies Record<Reason["kind"], readonly [status: number, code: ErrorCode]>;

/** The status that answers a refusal. */
export const statusOf = ({ kind }: Reason): number => answers[kind][0];

/** What a reply says of its request beside its answer. */
export interface Asked {
  readonly requestId: string;
  /** Where the service was reached, without the route's own path. */
  readonly serviceUrl: string;
}

const jsonHeaders = (requestId: string): Record<string, string> => ({
  "Content-Type": "application/json",
  "X-Request-ID": requestId,
  ...securityHeaders,
});

/** Headers of a route's successful reply. */
export const successHeaders = ({ media, headers }: Route, requestId: string): Record<string, string> => ({
  ...jsonHeaders(requestId),
  ...(media === undefined ? {} : { "Content-Type": media }),
  ...headers,
});

/** What a reply to a GET depends on beside its address: a cache must not give it to anybody else, nor in another form. */
const varied = {
  public: "Accept-Encoding",
  guarded: "Accept-Encoding, Authorization, X-API-Key, X-Project-ID, X-Project-Name, X-Organization-ID",
};

/** Headers of every reply to a GET, whatever becomes of it. What is somebody's is kept by nobody between, and asked for again. */
export const readHeaders = ({ method, access, headers = {} }: Route): Record<string, string> => {
  if (method !== "GET") return {};
  const isGuarded = access !== "public";
  return {
    Vary: isGuarded ? varied.guarded : varied.public,
    ...(isGuarded && !("Cache-Control" in headers) && { "Cache-Control": "private, no-cache" }),
  };
};

/** All of some headers; what each says that the reply depends on is said in one. */
export const withVaried = (all: readonly Readonly<Record<string, string>>[]): Record<string, string> => {
  const varied = all.flatMap(({ Vary }) => Vary ?? []);
  return { ...Object.assign({}, ...all), ...(varied.length > 0 && { Vary: varied.join(", ") }) };
};

const retryHeader = (reason: Reason): Record<string, string> => {
  if (reason.kind === "rate-limited") return { "Retry-After": String(reason.retryAfter) };
  return reason.kind === "unavailable" ? { "Retry-After": "1" } : {};
};

/** What an error says beside its `detail`. */
const about = (code: ErrorCode, { requestId, serviceUrl }: Asked) => ({
  code,
  request_id: requestId,
  documentation_url: `${serviceUrl}${errorPlace(code)}`,
});

/** The reply to a request that was refused. */
export const refusalReply = ({ reason }: Refusal, asked: Asked): Reply => {
  const body = reason.kind === "invalid" ? violationsBody(reason.violations) : { detail: reason.detail };
  return {
    statusCode: statusOf(reason),
    headers: { ...jsonHeaders(asked.requestId), ...retryHeader(reason) },
    body: JSON.stringify({ ...body, ...about(reason.code ?? answers[reason.kind][1], asked) }),
  };
};

/** The reply to a fault of ours: says nothing of what went wrong inside. */
export const faultReply = (asked: Asked): Reply => ({
  statusCode: 500,
  headers: jsonHeaders(asked.requestId),
  body: JSON.stringify({ detail: "Internal Server Error", ...about("internal_error", asked) }),
});
