import type { Caller } from "./client/caller.ts";
import type { Reply, RawRequest } from "./client/exchange.ts";
import type { Timeouts } from "./timeouts.ts";

/** Verdict of a check. */
export type Verdict = "passed" | "failed" | "skipped";

/** Result of a check: the verdict, and the observed details as text. */
export interface CheckResult {
  readonly verdict: Verdict;
  readonly details: string;
}

/** The deployment under test: callers with different credentials, the timeouts and the log of replies. */
export interface CheckContext {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  /** Name of the temporary project that verify uses. */
  readonly projectName: string;
  /** Caller with the API key, within the project. */
  readonly project: Caller;
  /** The same caller for checks of limits: all others wait when a reply is 429, and send the request again. */
  readonly impatient: Caller;
  /** Caller without a credential. */
  readonly anonymous: Caller;
  /** Caller with the bearer token; null when no token is set. */
  readonly user: Caller | null;
  readonly timeouts: Timeouts;
  /** Number of replies so far, and the requests whose reply had no `X-Request-ID`. */
  readonly replyLog: { readonly replies: number; readonly withoutRequestId: readonly string[] };
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Creates a caller with another API key, within the project. */
  readonly callerWithKey: (key: string) => Caller;
}

/** A check of a deployment. */
export interface Check {
  /** The expected behaviour, as a sentence without a full stop. */
  readonly title: string;
  /** Runs the check. A thrown error counts as failed. */
  readonly run: (context: CheckContext) => Promise<CheckResult>;
}

export const pass = (details: string): CheckResult => ({ verdict: "passed", details });
export const fail = (details: string): CheckResult => ({ verdict: "failed", details });
export const skip = (details: string): CheckResult => ({ verdict: "skipped", details });

/** Passes if the list of differences is empty; otherwise fails with them. */
export const passUnless = (differences: readonly string[], details: string): CheckResult =>
  differences.length === 0 ? pass(details) : fail(differences.join("; "));

/** Formats a request as method and path, for the details of a result. */
export const requestName = ({ method, path }: RawRequest): string => `${method} ${path}`;

/** True if a reply has a valid `X-Request-ID`, by which it can be found in the logs. */
export const hasRequestId = ({ headers }: Reply): boolean => {
  const id = headers["x-request-id"];
  return typeof id === "string" && /^[A-Za-z0-9._-]{1,128}$/u.test(id);
};
