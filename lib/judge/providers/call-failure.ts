import { reasons, type FailureCode } from "../../domain/scores/reason-codes.ts";
import { failed, type Failure } from "./provider.ts";
import type { ReplyHeaders } from "./bounded-post.ts";
import { isFiltered, isOfTier, isOutOfCredit, lessonOf, refusalOf } from "./refusal.ts";

const codeOf = (status: number): FailureCode => {
  if ([429, 503, 529].includes(status)) return "judge_rate_limited";
  // 424: Bedrock's model failed, not the request.
  if (status >= 500 || [408, 409, 424, 425].includes(status)) return "judge_unavailable";
  return [401, 402, 403].includes(status) ? "judge_auth" : "judge_bad_request";
};

/** Lower-case words only: no key, no text of a trace and no markup fits that. */
const safeCode = (value: unknown): string | null =>
  typeof value === "string" && /^[a-z]+(?:_[a-z]+){0,6}$/u.test(value) && value.length <= 48 ? value : null;

/** A provider that asks for more is asked again after an hour: a nonsense header must not park a run for years. */
const longestWait = 3_600_000;

const bounded = (milliseconds: number): number | null =>
  Number.isFinite(milliseconds) ? Math.min(Math.max(0, Math.ceil(milliseconds)), longestWait) : null;

/**
 * Milliseconds to wait as the headers of a reply say (`retry-after-ms`, or `retry-after` in seconds or as a date), between
 * 0 and an hour; null when they say nothing usable.
 */
export const retryAfter = (headers: ReplyHeaders, now: number): number | null => {
  const [milliseconds, given] = ["retry-after-ms", "retry-after"].map((name) => {
    const value = headers[name];
    return typeof value === "string" ? value.trim() : undefined;
  });
  if (milliseconds !== undefined && /^\d+(?:\.\d+)?$/u.test(milliseconds)) return bounded(Number(milliseconds));
  if (given === undefined || given === "") return null;
  if (/^\d+(?:\.\d+)?$/u.test(given)) return bounded(Number(given) * 1000);
  return /[a-z]/iu.test(given) ? bounded(Date.parse(given) - now) : null;
};

/** The call was not answered within its time-out. */
export const timedOut = failed("judge_unavailable", { message: "The judge's provider did not answer in time." });

/** There was no connection, or it broke. */
export const unreachable = failed("judge_unavailable", { message: "The judge's provider could not be reached." });

/** What happens before a request is sent. */
const unsent = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EPROTO"]);

/** A call whose connection failed. @param error what the connection failed with. */
export const unreachableBy = (error: unknown): Failure =>
  error instanceof Error && "code" in error && unsent.has(String(error.code))
    ? { ...unreachable, free: true }
    : unreachable;

/** The reply to a call that went well is not JSON. */
export const notJson = failed("judge_malformed", { message: "The judge's reply is not JSON." });

/** Statuses of gateways that gave up waiting: what stands behind them may have answered, and billed. */
const gaveUpWaiting = new Set([408, 504, 524]);

/** What a refusal means, by its words where they tell more than its status. */
const codeOfRefusal = (refusal: ReturnType<typeof refusalOf>): FailureCode => {
  if (isOutOfCredit(refusal)) return "judge_no_credit";
  return isFiltered(refusal) ? "judge_refused" : codeOf(refusal.status);
};

/**
 * What a reply with an error's status means, in our own words.
 *
 * @param body the reply's JSON; its error's code is shown where it is safe to.
 * @param now epoch milliseconds, to read a `Retry-After` date against.
 */
export const refused = (status: number, headers: ReplyHeaders, body: unknown, now: number): Failure => {
  const refusal = refusalOf(status, body);
  const code = codeOfRefusal(refusal);
  const detail = refusal.names.map(safeCode).find((safe) => safe !== null);
  const shown = detail === undefined ? `HTTP ${status}` : `HTTP ${status}, ${detail}`;
  return failed(code, {
    message: `${reasons[code].words} (${shown}).`,
    retryAfter: retryAfter(headers, now),
    free: !gaveUpWaiting.has(status),
    lesson: lessonOf(refusal),
    ...(isOfTier(refusal) && { atTier: true }),
  });
};

/** A call that could not be made: its credential was not to be had. */
export class NoCredential extends Error {
  readonly failure: Failure;

  constructor(reason: Failure) {
    super(reason.message);
    this.name = "NoCredential";
    this.failure = { ...reason, free: true };
  }
}
