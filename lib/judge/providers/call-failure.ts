import { reasons, type FailureCode } from "../../domain/scores/reason-codes.ts";
import { failureOf, type Failure } from "./provider.ts";
import type { ReplyHeaders } from "./bounded-post.ts";
import { isFiltered, isTierRefusal, isOutOfCredit, hintsOf, refusalOf } from "./refusal.ts";

const codeOf = (status: number): FailureCode => {
  if ([429, 503, 529].includes(status)) return "judge_rate_limited";
  // 424: a model of Bedrock failed, not the request.
  if (status >= 500 || [408, 409, 424, 425].includes(status)) return "judge_unavailable";
  return [401, 402, 403].includes(status) ? "judge_auth" : "judge_bad_request";
};

/** Returns an error code of lower-case words, else null: a key, text of a trace or markup never has this form. */
const safeCode = (value: unknown): string | null =>
  typeof value === "string" && /^[a-z]+(?:_[a-z]+){0,6}$/u.test(value) && value.length <= 48 ? value : null;

/** Maximum wait that a `Retry-After` header may request, milliseconds: a wrong header must not delay a run for years. */
const maxWait = 3_600_000;

const boundedWait = (milliseconds: number): number | null =>
  Number.isFinite(milliseconds) ? Math.min(Math.max(0, Math.ceil(milliseconds)), maxWait) : null;

/**
 * Reads the milliseconds to wait from a reply's headers (`retry-after-ms`, or `retry-after` in seconds or as a date), between
 * 0 and an hour; null without a usable header.
 */
export const retryAfter = (headers: ReplyHeaders, now: number): number | null => {
  const [milliseconds, secondsOrDate] = ["retry-after-ms", "retry-after"].map((name) => {
    const value = headers[name];
    return typeof value === "string" ? value.trim() : undefined;
  });
  if (milliseconds !== undefined && /^\d+(?:\.\d+)?$/u.test(milliseconds)) return boundedWait(Number(milliseconds));
  if (secondsOrDate === undefined || secondsOrDate === "") return null;
  if (/^\d+(?:\.\d+)?$/u.test(secondsOrDate)) return boundedWait(Number(secondsOrDate) * 1000);
  return /[a-z]/iu.test(secondsOrDate) ? boundedWait(Date.parse(secondsOrDate) - now) : null;
};

/** Failure of a call without a reply within its time-out. */
export const timeoutFailure = failureOf("judge_unavailable", {
  message: "The judge's provider did not answer in time.",
});

/** Failure of a call whose connection could not be made or broke. */
export const unreachableFailure = failureOf("judge_unavailable", {
  message: "The judge's provider could not be reached.",
});

/** Node error codes of failures before a request is sent. */
const unsentErrorCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EPROTO"]);

/** Returns the failure of a broken connection; unbilled if the request was never sent. @param error error of the connection. */
export const connectionFailure = (error: unknown): Failure =>
  error instanceof Error && "code" in error && unsentErrorCodes.has(String(error.code))
    ? { ...unreachableFailure, isUnbilled: true }
    : unreachableFailure;

/** Failure of a call whose successful reply is not JSON. */
export const notJsonFailure = failureOf("judge_malformed", { message: "The judge's reply is not JSON." });

/** Statuses of gateway time-outs; the provider behind the gateway may still have answered and billed the call. */
const gatewayTimeouts = new Set([408, 504, 524]);

/** Returns the failure code of a refused request, from its error message or else its status. */
const codeOfRefusal = (refusal: ReturnType<typeof refusalOf>): FailureCode => {
  if (isOutOfCredit(refusal)) return "judge_no_credit";
  return isFiltered(refusal) ? "judge_refused" : codeOf(refusal.status);
};

/**
 * Builds the failure of a reply with an error status. The message is the service's own, plus the provider's error code.
 *
 * @param body parsed JSON of the reply.
 * @param now epoch milliseconds, for a `Retry-After` date.
 */
export const failureOfReply = (status: number, headers: ReplyHeaders, body: unknown, now: number): Failure => {
  const refusal = refusalOf(status, body);
  const code = codeOfRefusal(refusal);
  const detail = refusal.names.map(safeCode).find((safe) => safe !== null);
  const statusText = detail === undefined ? `HTTP ${status}` : `HTTP ${status}, ${detail}`;
  return failureOf(code, {
    message: `${reasons[code].message} (${statusText}).`,
    retryAfter: retryAfter(headers, now),
    isUnbilled: !gatewayTimeouts.has(status),
    hints: hintsOf(refusal),
    ...(isTierRefusal(refusal) && { isTierRefusal: true }),
  });
};

/** Thrown when a call's credential could not be obtained. */
export class NoCredential extends Error {
  readonly failure: Failure;

  constructor(reason: Failure) {
    super(reason.message);
    this.name = "NoCredential";
    this.failure = { ...reason, isUnbilled: true };
  }
}
