import type { JsonObject } from "../../domain/json.ts";
import type { Grounds } from "../../domain/scores/automated-score.ts";
import { judgeIdentity } from "../../domain/scores/judge-identity.ts";
import { reasons, sentenceOf, type FailureCode } from "../../domain/scores/reason-codes.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { Inapplicable, Metric, NoScore, Scored } from "../metric.ts";
import type { Failure } from "../providers/provider.ts";
import { sampledVersion } from "../question/prompt-version.ts";
import { clip } from "../transcript/clip.ts";
import type { CheckedEvidence } from "./evidence.ts";
import type { Coverage } from "../transcript/coverage.ts";
import { expenseMetadata, failureMetadata, scoreMetadata, type Provenance } from "./score-metadata.ts";

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
        /** It is no provider that is waited for but money. */
        readonly unfunded?: true;
      }
  );

/** Longer reasons are cut. */
const longestReason = 4000;

const groundsOf = (
  { model, setup, sampling, traceVersion }: Provenance,
  given: Partial<Pick<Grounds, "inapplicable" | "evidence">> = {},
): Grounds => ({
  judge: judgeIdentity(model, sampledVersion(setup, sampling ?? null)),
  inapplicable: null,
  evidence: null,
  ...given,
  traceVersion,
});

/**
 * The verdict of a pair that got no score: it comes back when the provider is away, else it is final. @param details what the
 * metric adds to the metadata.
 */
export const withoutScore = (
  { code, message: reason, retryAfter }: Pick<Failure, "code" | "message" | "retryAfter">,
  provenance: Provenance,
  details: JsonObject = {},
): Verdict => {
  const told = { metadata: failureMetadata(code, provenance, details), grounds: groundsOf(provenance) };
  return reasons[code].again === "later"
    ? { kind: "deferred", code, reason, retryAfter, ...told }
    : { kind: "failed", code, reason, ...told };
};

/** The verdict of a pair that there was no money for. */
export const withoutMoney = (provenance: Provenance): Verdict => ({
  kind: "deferred",
  code: "judge_unavailable",
  reason: "There is no money for this judgement now.",
  retryAfter: null,
  unfunded: true,
  metadata: expenseMetadata(provenance),
});

/** The verdict of a question that got no answer. */
export const withoutAnswer = (
  outcome: { readonly kind: "unfunded" } | Pick<Failure, "kind" | "code" | "message" | "retryAfter">,
  provenance: Provenance,
): Verdict => (outcome.kind === "unfunded" ? withoutMoney(provenance) : withoutScore(outcome, provenance));

/** Whether a model is one of the rules beside the service. @param model `<provider>/<model>`. */
export const isOffline = (model: string): boolean => model.startsWith("offline/");

/** Below this share of the material a reason says on how much it rests. */
const saidBelow = 0.5;

/** What a reason adds where much of the material was left out for its length. */
const coverageNote = ({ ratio, repeated_characters = 0 }: Coverage): string => {
  if (ratio >= saidBelow) return "";
  const repeated = repeated_characters > 0 ? "; part of the rest repeats it" : "";
  return ` (Judged by ${Math.round(ratio * 100)} % of the material: the rest was left out for its length${repeated}.)`;
};

/** What a judge cited as the metadata have it, in place of its plain texts. */
const checkedDetails = (evidence: CheckedEvidence | null, citedFor: Scored["citedFor"] = []): JsonObject =>
  evidence === null
    ? {}
    : {
        evidence: evidence.checked.map((each, place) => {
          const statements = citedFor[place];
          return statements === undefined ? { ...each } : { ...each, statements };
        }),
        ...(evidence.found !== null && { evidence_found: evidence.found }),
        ...(evidence.tampering && { tampering_suspected: true }),
      };

/**
 * The verdict that a metric's result becomes.
 *
 * @param evidence what the judge cited, looked up in what it was shown.
 */
export const verdictOf = (
  { threshold }: Pick<Metric, "threshold">,
  { details, ...result }: Scored | Inapplicable | NoScore,
  provenance: Provenance,
  evidence: CheckedEvidence | null = null,
): Verdict => {
  const failed = (code: FailureCode, message: string, told: JsonObject = {}): Verdict =>
    withoutScore({ code, message: clip(message, longestReason), retryAfter: null }, provenance, told);
  if (result.value === null) return failed(result.code, result.reason, details);
  if (!(result.value >= 0 && result.value <= 1)) return failed("judge_out_of_range", sentenceOf("judge_out_of_range"));
  const value = rounded(result.value);
  const note = coverageNote(provenance.coverage);
  const reason = `${clip(result.reason.trim(), longestReason - note.length)}${note}`.trim();
  const inapplicable = "inapplicable" in result ? result.inapplicable : null;
  // Fixed rules know neither success nor failure: their scores are for trying the service.
  const byRules = isOffline(provenance.model);
  return {
    kind: "scored",
    value,
    reason: reason === "" ? null : reason,
    metadata: scoreMetadata(
      provenance,
      { ...(byRules && { judge: "rules" }), ...details, ...checkedDetails(evidence, result.citedFor) },
      {
        threshold,
        success: inapplicable === null && !byRules ? (result.success ?? value >= threshold) : null,
      },
    ),
    grounds: groundsOf(provenance, {
      inapplicable,
      evidence: evidence === null ? null : { cited: evidence.cited, dropped: evidence.dropped },
    }),
  };
};
