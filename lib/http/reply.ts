import type { Route } from "../contract/route.ts";
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

/** The status that answers a refusal. */
export const statusOf = (reason: Reason): number => {
  switch (reason.kind) {
    case "invalid":
      return 422;
    case "unauthenticated":
      return 401;
    case "forbidden":
      return 403;
    case "not-found":
      return 404;
    case "conflict":
      return 409;
    case "too-large":
      return 413;
    case "unsupported-media-type":
      return 415;
    case "rate-limited":
      return 429;
    case "unavailable":
      return 503;
    default:
      return reason satisfies never;
  }
};

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

const retryHeader = (reason: Reason): Record<string, string> => {
  if (reason.kind === "rate-limited") return { "Retry-After": String(reason.retryAfter) };
  return reason.kind === "unavailable" ? { "Retry-After": "1" } : {};
};

/** The reply to a request that was refused. */
export const refusalReply = (refusal: Refusal, requestId: string): Reply => {
  const { reason } = refusal;
  const body = reason.kind === "invalid" ? violationsBody(reason.violations) : { detail: reason.detail };
  return {
    statusCode: statusOf(reason),
    headers: { ...jsonHeaders(requestId), ...retryHeader(reason) },
    body: JSON.stringify(body),
  };
};

/** The reply to a fault of ours: says nothing of what went wrong inside. */
export const faultReply = (requestId: string): Reply => ({
  statusCode: 500,
  headers: jsonHeaders(requestId),
  body: JSON.stringify({ detail: "Internal Server Error" }),
});
