import type { ServiceTier } from "../../domain/runs/tier.ts";
import type { JsonObject } from "../../domain/json.ts";
import { fitToBytes, clip } from "../transcript/shorten.ts";
import { reasons, type FailureCode, sentenceOf } from "../../domain/scores/reason-codes.ts";
import type { Sampling, Failure } from "../providers/provider.ts";
import type { Tokens } from "../../prices/price.ts";
import type { Expense } from "../spending/expense.ts";
import { coveredShare, type Coverage } from "../transcript/transcript.ts";
import { type JudgementBasis } from "../../domain/scores/automated-score.ts";
import { isOfflineModel, judgeIdentity, rounded } from "../../domain/scores/score.ts";
import {
  type InapplicableScore,
  type Metric,
  type NoScore,
  type MetricScore,
  sampledVersion,
} from "../metric/metric.ts";
import type { CheckedEvidence } from "./evidence.ts";

/** Maximum bytes of a score's metadata, as JSON in UTF-8. */
const maxMetadataBytes = 16 * 1024;

/** Origin of a score or of a failure: model, prompt, tokens, cost and coverage. */
export interface Provenance extends Expense {
  readonly model: string;
  readonly promptVersion: string;
  /** Service tier that the run requested. */
  readonly tier: ServiceTier;
  /** Fingerprint of everything apart from the model that may change a verdict on the same trace (`setupVersion`). */
  readonly setup: string;
  readonly coverage: Coverage;
  readonly traceVersion: number;
  /** Temperature and effort of the calls; absent or null when no model was called. */
  readonly sampling?: Sampling | null;
}

/** Rounds US dollars up to a billionth. */
const roundUp = (dollars: number): number => Math.ceil(dollars * 1e9) / 1e9;

const totalTokens = ({ prompt, completion }: Tokens): number => prompt + completion;

/** Returns the service tier that answered the calls, `mixed` for both. */
const tierOf = (tokens: Tokens, flexTokens: Tokens): ServiceTier | "mixed" => {
  if (totalTokens(flexTokens) === 0) return "standard";
  return totalTokens(flexTokens) === totalTokens(tokens) ? "flex" : "mixed";
};

const provenanceFields = ({
  model,
  promptVersion,
  tier,
  tokens,
  flexTokens,
  cost,
  attempts,
  latency,
  coverage,
  traceVersion,
  unreportedCost,
  sampling,
}: Provenance): JsonObject => ({
  model,
  prompt_version: promptVersion,
  ...(tier === "flex" && { tier: tierOf(tokens, flexTokens) }),
  tokens: { ...tokens },
  cost_usd: cost,
  ...(unreportedCost > 0 && {
    unreported_usd: roundUp(unreportedCost),
    charged_usd: roundUp((cost ?? 0) + unreportedCost),
  }),
  attempts,
  ...(sampling && { temperature: sampling.temperature, ...(sampling.effort !== null && { effort: sampling.effort }) }),
  latency_ms: Math.round(latency),
  coverage: { ...coverage },
  trace_version: traceVersion,
});

/** Comparison of a score with the metric's threshold; `success` is null for inapplicable and rule-based scores and categories. */
export interface Outcome {
  /** Absent for a category. */
  readonly threshold?: number;
  readonly success: boolean | null;
}

/** Builds the metadata of a score: provenance, the metric's details (shortened to fit 16 KB), threshold and success. */
export const scoreMetadata = (provenance: Provenance, details: JsonObject, outcome: Outcome): JsonObject => {
  const fields = provenanceFields(provenance);
  const room = maxMetadataBytes - Buffer.byteLength(JSON.stringify({ ...fields, ...outcome }));
  return { ...fields, ...fitToBytes(details, room), ...outcome };
};

/** Builds the metadata of a FAILED score: its code, provenance and the metric's details (shortened to fit 16 KB). */
export const failureMetadata = (code: FailureCode, provenance: Provenance, details: JsonObject = {}): JsonObject => {
  const fields = { code, ...provenanceFields(provenance) };
  return { ...fields, ...fitToBytes(details, maxMetadataBytes - Buffer.byteLength(JSON.stringify(fields))) };
};

/** Fields of every verdict. */
interface VerdictDetails {
  readonly metadata: JsonObject;
  readonly grounds?: JudgementBasis;
}

/** Result of judging one (target, metric) pair: scored, failed or deferred. */
export type Verdict = VerdictDetails &
  /** `value` in [0, 1], rounded to 4 places; `reason` at most 4,000 characters; `metadata` at most 16 KB. */
  (
    | { readonly kind: "scored"; readonly value: number; readonly reason: string | null }
    /** Permanent failure: a retry would fail again. */
    | {
        readonly kind: "failed";
        readonly code: FailureCode;
        /** Message for users: contains no key and no text of the provider beyond a checked error code. */
        readonly reason: string;
      }
    /**
     * Temporary failure (429, 5xx, reset, time-out, no time or budget left): retry after at least `retryAfter` milliseconds.
     */
    | {
        readonly kind: "deferred";
        readonly code: FailureCode;
        readonly reason: string;
        readonly retryAfter: number | null;
        /** True if the verdict is deferred because the budget does not suffice, not because of the provider. */
        readonly unfunded?: true;
        /** True if nobody knows whether a retry helps. */
        readonly isDoubtful?: true;
      }
  );

/** Maximum characters of a reason. */
const maxReasonLength = 4000;

const groundsOf = (
  { model, setup, sampling, traceVersion }: Provenance,
  details: Partial<Pick<JudgementBasis, "inapplicable" | "evidence" | "category">> = {},
): JudgementBasis => ({
  judge: judgeIdentity(model, sampledVersion(setup, sampling ?? null)),
  inapplicable: null,
  evidence: null,
  ...details,
  traceVersion,
});

/**
 * Builds the verdict of a pair without a score: deferred if the failure is temporary, else failed.
 *
 * @param details metadata that the metric adds.
 */
export const unscoredVerdict = (
  { code, message: reason, retryAfter, isDoubtful }: Pick<Failure, "code" | "message" | "retryAfter" | "isDoubtful">,
  provenance: Provenance,
  details: JsonObject = {},
): Verdict => {
  const fields = { metadata: failureMetadata(code, provenance, details), grounds: groundsOf(provenance) };
  if (reasons[code].retry !== "later") return { kind: "failed", code, reason, ...fields };
  const verdict: Extract<Verdict, { readonly kind: "deferred" }> = {
    kind: "deferred",
    code,
    reason,
    retryAfter,
    ...(isDoubtful && { isDoubtful }),
    ...fields,
  };
  return verdict;
};

/** Builds the verdict of a pair that the budget does not suffice for. */
export const unfundedVerdict = (provenance: Provenance): Verdict => ({
  kind: "deferred",
  code: "judge_unavailable",
  reason: "There is no money for this judgement now.",
  retryAfter: null,
  unfunded: true,
  metadata: provenanceFields(provenance),
});

/** Builds the verdict of a pair whose question has no answer. */
export const unansweredVerdict = (
  outcome: { readonly kind: "unfunded" } | Pick<Failure, "kind" | "code" | "message" | "retryAfter" | "isDoubtful">,
  provenance: Provenance,
): Verdict => (outcome.kind === "unfunded" ? unfundedVerdict(provenance) : unscoredVerdict(outcome, provenance));

/** Returns the verdict `insufficient_evidence` if the transcript shows a smaller share of the trace than `leastCoverage`, else null. */
export const insufficientCoverageVerdict = (
  coverage: Coverage,
  leastCoverage: number,
  provenance: Provenance,
): Verdict | null => {
  if (coveredShare(coverage) >= leastCoverage) return null;
  const [shownPercent, minPercent] = [coverage.ratio, leastCoverage].map((part) => Math.round(part * 100));
  const message = `Too little of the trace can be shown to the judge: ${shownPercent} % of it fits, ${minPercent} % is the least. Raise the transcript's characters for this model, or lower the least coverage.`;
  return unscoredVerdict({ code: "insufficient_evidence", message, retryAfter: null }, provenance);
};

/** Coverage below which a reason states the judged share of the material. */
const noteBelowCoverage = 0.5;

/** Returns the note on coverage for a reason; empty if at least half of the material was shown. */
const coverageNote = ({ ratio, repeated_characters = 0 }: Coverage): string => {
  if (ratio >= noteBelowCoverage) return "";
  const repeated = repeated_characters > 0 ? "; part of the rest repeats it" : "";
  return ` (Judged by ${Math.round(ratio * 100)} % of the material: the rest was left out for its length${repeated}.)`;
};

/** Builds the metadata of checked citations; it replaces the metric's list of cited texts. */
const evidenceDetails = (
  evidence: CheckedEvidence | null,
  citedStatements: MetricScore["citedStatements"] = [],
): JsonObject =>
  evidence === null
    ? {}
    : {
        evidence: evidence.checked.map((citation, index) => {
          const statements = citedStatements[index];
          return statements === undefined ? { ...citation } : { ...citation, statements };
        }),
        ...(evidence.foundShare !== null && { evidence_found: evidence.foundShare }),
        ...(evidence.tampering && { tampering_suspected: true }),
      };

/**
 * Builds the verdict of a metric's result. A score outside [0, 1] becomes the failure `judge_out_of_range`.
 *
 * @param evidence the judge's citations, checked against the material.
 */
export const verdictOf = (
  { threshold }: Pick<Metric, "threshold">,
  { details, ...result }: MetricScore | InapplicableScore | NoScore,
  provenance: Provenance,
  evidence: CheckedEvidence | null = null,
): Verdict => {
  const failed = (code: FailureCode, message: string, failureDetails: JsonObject = {}): Verdict =>
    unscoredVerdict({ code, message: clip(message, maxReasonLength), retryAfter: null }, provenance, failureDetails);
  if (result.value === null) return failed(result.code, result.reason, details);
  if (!(result.value >= 0 && result.value <= 1)) return failed("judge_out_of_range", sentenceOf("judge_out_of_range"));
  const value = rounded(result.value);
  const note = coverageNote(provenance.coverage);
  const reason = `${clip(result.reason.trim(), maxReasonLength - note.length)}${note}`.trim();
  const inapplicable = "inapplicable" in result ? result.inapplicable : null;
  // Scores of the offline judge's fixed rules are for demonstration: they count neither as success nor as failure.
  const isRuleBased = isOfflineModel(provenance.model);
  const { category } = result;
  const success = inapplicable === null && !isRuleBased ? (result.success ?? value >= threshold) : null;
  return {
    kind: "scored",
    value,
    reason: reason === "" ? null : reason,
    metadata: scoreMetadata(
      provenance,
      { ...(isRuleBased && { judge: "rules" }), ...details, ...evidenceDetails(evidence, result.citedStatements) },
      category === undefined ? { threshold, success } : { success: null },
    ),
    grounds: groundsOf(provenance, {
      inapplicable,
      category,
      evidence: evidence === null ? null : { cited: evidence.cited, dropped: evidence.dropped },
    }),
  };
};
