import { APIConnectionTimeoutError, APIError } from "openai";
import { noTokens, type Completion } from "./completion.ts";
import { retryAfter } from "./retry-after.ts";
import type { FailureCode } from "./verdict.ts";

const codeOf = (status: number): FailureCode => {
  if ([429, 503, 529].includes(status)) return "judge_rate_limited";
  if (status >= 500 || [408, 409, 425].includes(status)) return "judge_unavailable";
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

const failure = (code: FailureCode, message: string, wait: number | null = null): Completion => ({
  kind: "failure",
  code,
  message,
  retryAfter: wait,
  tokens: noTokens,
});

/** What an error of the SDK's call means, in our own words. `now` is in epoch milliseconds. */
export const callFailure = (error: unknown, now: number): Completion => {
  if (error instanceof APIConnectionTimeoutError) {
    return failure("judge_unavailable", "The judge's provider did not answer in time.");
  }
  if (!(error instanceof APIError)) return failure("judge_malformed", "The judge's reply is not JSON.");
  const status: unknown = error.status;
  if (typeof status !== "number") return failure("judge_unavailable", "The judge's provider could not be reached.");
  const code = codeOf(status);
  const detail = safeCode(error.code) ?? safeCode(error.type);
  const shown = detail === null ? `HTTP ${status}` : `HTTP ${status}, ${detail}`;
  return failure(code, `${wording[code]} (${shown}).`, retryAfter(error.headers, now));
};
