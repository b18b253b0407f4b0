import type { JsonObject } from "../../domain/json.ts";

/** Why a pair has no score: stable, part of a score's metadata as `code`. */
export type FailureCode =
  | "judge_rate_limited"
  | "judge_unavailable"
  | "judge_bad_request"
  | "judge_auth"
  | "judge_malformed"
  | "judge_refused"
  | "judge_truncated"
  | "judge_out_of_range"
  /** The target was not there any more. */
  | "target_not_found"
  /** No trace of a session has a score that its metric could use. */
  | "no_signals"
  | "internal";

/** What became of judging one (target, metric) pair. */
export type Verdict =
  /** `value` in [0, 1], rounded to 4 places; `reason` at most 4,000 characters; `metadata` at most 16 KB. */
  | { readonly kind: "scored"; readonly value: number; readonly reason: string | null; readonly metadata: JsonObject }
  /** Final: asking again would answer the same. */
  | {
      readonly kind: "failed";
      readonly code: FailureCode;
      /** Words for a user: no key, no provider's raw text beyond a bounded excerpt that is safe to show. */
      readonly reason: string;
      readonly metadata: JsonObject;
    }
  /** The provider is away (429, 5xx, reset, time-out) or there is no time left: come back, at the earliest after `retryAfter` ms. */
  | {
      readonly kind: "deferred";
      readonly code: FailureCode;
      readonly reason: string;
      readonly retryAfter: number | null;
      readonly metadata: JsonObject;
    };
