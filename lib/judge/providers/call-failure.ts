import { APIConnectionTimeoutError, APIError } from "openai";
import { noTokens, type Failure } from "./completion.ts";
import { retryAfter } from "./retry-after.ts";
import type { FailureCode } from "../verdict/verdict.ts";

const codeOf = (status: number): FailureCode => {
  if ([429, 503, 529].includes(status)) return "judge_rate_limited";
  // 424: Bedrock's model failed, not the request.
  if (status >= 500 || [408, 409, 424, 425].includes(status)) return "judge_unavailable";
  return [401, 402, 403].includes(status) ? "judge_auth" : "judge_bad_request";
};

const wording: Partial<Record<FailureCode, string>> = {
  judge_rate_limited: "The judge's provider asks to wait",
  judge_unavailable: "The judge's provider does not work right now",
  judge_auth: "The judge's provider does not accept the stored credentials",
  judge_bad_request: "The judge's provider refused the request",
};

/** Lower-case words only: no key, no text of a trace and no markup fits that. */
const safeCode = (value: unknown): string | null =>
  typeof value === "string" && /^[a-z]+(?:_[a-z]+){0,6}$/u.test(value) && value.length <= 48 ? value : null;

const failure = (code: FailureCode, message: string, wait: number | null = null): Failure => ({
  kind: "failure",
  code,
  message,
  retryAfter: wait,
  tokens: noTokens,
});

/** The call was not answered within its time-out. */
export const timedOut = failure("judge_unavailable", "The judge's provider did not answer in time.");

/** There was no connection, or it broke. */
export const unreachable = failure("judge_unavailable", "The judge's provider could not be reached.");

/** The reply to a call that went well is not JSON. */
export const notJson = failure("judge_malformed", "The judge's reply is not JSON.");

/**
 * What a reply with an error's status means, in our own words.
 *
 * @param details what the reply calls its error; the first that is safe to show is shown.
 * @param now epoch milliseconds, to read a `Retry-After` date against.
 */
export const refused = (
  status: number,
  headers: Headers | undefined,
  details: readonly unknown[],
  now: number,
): Failure => {
  const code = codeOf(status);
  const detail = details.map(safeCode).find((safe) => safe !== null);
  const shown = detail === undefined ? `HTTP ${status}` : `HTTP ${status}, ${detail}`;
  return failure(code, `${wording[code]} (${shown}).`, retryAfter(headers, now));
};

/** A call that could not be made: its credential was not to be had. Carried through the SDK, which wraps what `fetch` throws. */
export class NoCredential extends Error {
  readonly failure: Failure;

  constructor(reason: Failure) {
    super(reason.message);
    this.name = "NoCredential";
    this.failure = reason;
  }
}

/** What an error of the SDK's call means, in our own words. `now` is in epoch milliseconds. */
export const callFailure = (error: unknown, now: number): Failure => {
  if (error instanceof Error && error.cause instanceof NoCredential) return error.cause.failure;
  if (error instanceof APIConnectionTimeoutError) return timedOut;
  if (!(error instanceof APIError)) return notJson;
  const status: unknown = error.status;
  if (typeof status !== "number") return unreachable;
  return refused(status, error.headers, [error.code, error.type], now);
};
