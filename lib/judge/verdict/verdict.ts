import type { JsonObject } from "../../domain/json.ts";
import type { Grounds } from "../../domain/scores/automated-score.ts";
import type { Evidence } from "../../domain/scores/evidence.ts";
import { judgeIdentity } from "../../domain/scores/judge-identity.ts";
import { reasons, sentenceOf, type FailureCode } from "../../domain/scores/reason-codes.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { Inapplicable, Metric, NoScore, Scored } from "../metric.ts";
import type { Failure } from "../providers/provider.ts";
import { clip } from "../transcript/clip.ts";
import { failureMetadata, scoreMetadata, type Provenance } from "./score-metadata.ts";

/** What every verdict tells. */
interface Told {
  readonly metadata: JsonObject;
  readonly grounds?: Grounds;
}

/** What became of judging one (target, metric) pair. */
export type Verdict = Told &
  /** `value` in [0, 1], rounded to 4 places; `reason` at most 4,000 characters; `metadata` at most 16 KB. */
  (
    | { readonly kind: "scored"; readonly value: number; readonly reason: string | null }
    /** Final: asking again would answer the same. */
    | {
        readonly kind: "failed";
        readonly code: FailureCode;
        /** Words for a user: no key, no provider's raw text beyond a bounded excerpt that is safe to show. */
        readonly reason: string;
      }
    /** The provider is away (429, 5xx, reset, time-out) or there is no time left: come back, at the earliest after `retryAfter` ms. */
    | {
        readonly kind: "deferred";
        readonly code: FailureCode;
        readonly reason: string;
        readonly retryAfter: number | null;
      }
  );

/** Longer reasons are cut. */
const longestReason = 4000;

const groundsOf = (
  { model, promptVersion, traceVersion }: Provenance,
  given: Partial<Pick<Grounds, "inapplicable" | "evidence">> = {},
): Grounds => ({
  judge: judgeIdentity(model, promptVersion),
  inapplicable: null,
  evidence: null,
  ...given,
  traceVersion,
});

/** The verdict of a pair that got no answer: it comes back when the provider is away, else it is final. */
export const withoutScore = (
  { code, message: reason, retryAfter }: Pick<Failure, "code" | "message" | "retryAfter">,
  provenance: Provenance,
): Verdict => {
  const told = { metadata: failureMetadata(code, provenance), grounds: groundsOf(provenance) };
  return reasons[code].again === "later"
    ? { kind: "deferred", code, reason, retryAfter, ...told }
    : { kind: "failed", code, reason, ...told };
};

/** The verdict that a metric's result becomes. @param evidence what the judge cited, looked up in what it was shown. */
export const verdictOf = (
  { threshold }: Pick<Metric, "threshold">,
  { details, ...result }: Scored | Inapplicable | NoScore,
  provenance: Provenance,
  evidence: Evidence | null = null,
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
    grounds: groundsOf(provenance, { inapplicable: "inapplicable" in result ? result.inapplicable : null, evidence }),
  };
};
