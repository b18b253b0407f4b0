import type { JsonObject } from "../../domain/json.ts";
import { reasons, sentenceOf, type FailureCode } from "../../domain/scores/reason-codes.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { Metric, NoScore, Scored } from "../metric.ts";
import type { Failure } from "../providers/provider.ts";
import { clip } from "../transcript/clip.ts";
import { failureMetadata, scoreMetadata, type Provenance } from "./score-metadata.ts";

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

/** Longer reasons are cut. */
const longestReason = 4000;

/** The verdict of a pair that got no answer: it comes back when the provider is away, else it is final. */
export const withoutScore = (
  { code, message: reason, retryAfter }: Pick<Failure, "code" | "message" | "retryAfter">,
  provenance: Provenance,
): Verdict => {
  const metadata = failureMetadata(code, provenance);
  return reasons[code].again === "later"
    ? { kind: "deferred", code, reason, retryAfter, metadata }
    : { kind: "failed", code, reason, metadata };
};

/** The verdict that a metric's result becomes. */
export const verdictOf = (
  { threshold }: Pick<Metric, "threshold">,
  { details, ...result }: Scored | NoScore,
  provenance: Provenance,
): Verdict => {
  const failed = (code: FailureCode, message: string): Verdict =>
    withoutScore({ code, message, retryAfter: null }, provenance);
  if (result.value === null) return failed(result.code, result.reason);
  if (!(result.value >= 0 && result.value <= 1)) return failed("judge_out_of_range", sentenceOf("judge_out_of_range"));
  const value = rounded(result.value);
  const reason = clip(result.reason.trim(), longestReason);
  return {
    kind: "scored",
    value,
    reason: reason === "" ? null : reason,
    metadata: scoreMetadata(provenance, details, threshold, value),
  };
};
