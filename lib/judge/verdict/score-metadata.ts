import type { ServiceTier } from "../../domain/runs/tier.ts";
import type { JsonObject } from "../../domain/json.ts";
import { fitToBytes } from "../transcript/clip.ts";
import { reasons, type FailureCode } from "../../domain/scores/reason-codes.ts";
import type { Sampling } from "../providers/provider.ts";
import type { Tokens } from "../../prices/tokens.ts";
import type { Expense } from "../question/ask-model.ts";
import type { Coverage } from "../transcript/coverage.ts";

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
  readonly costOf: CostOf;
}

/**
 * Computes the US dollars for tokens of `<provider>/<model>`, `flexTokens` of them at the flex tier; null when the price is
 * unknown.
 */
export type CostOf = (model: string, tokens: Tokens, flexTokens: Tokens) => number | null;

/** Rounds US dollars up to a billionth. */
const roundUp = (dollars: number): number => Math.ceil(dollars * 1e9) / 1e9;

const totalTokens = ({ prompt, completion }: Tokens): number => prompt + completion;

/** Returns the service tier that answered the calls, `mixed` for both. */
const tierOf = (tokens: Tokens, flexTokens: Tokens): ServiceTier | "mixed" => {
  if (totalTokens(flexTokens) === 0) return "standard";
  return totalTokens(flexTokens) === totalTokens(tokens) ? "flex" : "mixed";
};

const provenanceFields = (
  {
    model,
    promptVersion,
    tier,
    tokens,
    flexTokens,
    attempts,
    latency,
    coverage,
    traceVersion,
    unreportedCost,
    sampling,
  }: Provenance,
  cost: number | null,
): JsonObject => ({
  model,
  prompt_version: promptVersion,
  ...(tier === "flex" && { tier: tierOf(tokens, flexTokens) }),
  tokens: { ...tokens },
  cost_usd: cost,
  ...(unreportedCost > 0 && { charged_usd: roundUp((cost ?? 0) + unreportedCost) }),
  attempts,
  ...(sampling && { temperature: sampling.temperature, ...(sampling.effort !== null && { effort: sampling.effort }) }),
  latency_ms: Math.round(latency),
  coverage: { ...coverage },
  trace_version: traceVersion,
});

const costOfCalls = ({ attempts, tokens, flexTokens, model, costOf }: Provenance): number | null =>
  attempts === 0 ? 0 : costOf(model, tokens, flexTokens);

/** Computes the cost of an answered question; null when the provider reports no tokens, since 0 would mean free. */
const costOfAnswer = (provenance: Provenance): number | null => {
  const { attempts, tokens } = provenance;
  return attempts > 0 && tokens.prompt + tokens.completion === 0 ? null : costOfCalls(provenance);
};

/** Comparison of a score with the metric's threshold; `success` is null for inapplicable and rule-based scores. */
export interface Outcome {
  readonly threshold: number;
  readonly success: boolean | null;
}

/** Builds the metadata of a score: provenance, the metric's details (shortened to fit 16 KB), threshold and success. */
export const scoreMetadata = (provenance: Provenance, details: JsonObject, outcome: Outcome): JsonObject => {
  const fields = provenanceFields(provenance, costOfAnswer(provenance));
  const room = maxMetadataBytes - Buffer.byteLength(JSON.stringify({ ...fields, ...outcome }));
  return { ...fields, ...fitToBytes(details, room), ...outcome };
};

/** Builds the metadata of an unfinished judgement: the calls, tokens and cost so far. */
export const expenseMetadata = (provenance: Provenance): JsonObject =>
  provenanceFields(provenance, costOfCalls(provenance));

/** Builds the metadata of a FAILED score: its code, provenance and the metric's details (shortened to fit 16 KB). */
export const failureMetadata = (code: FailureCode, provenance: Provenance, details: JsonObject = {}): JsonObject => {
  const cost = (reasons[code].from === "call" ? costOfCalls : costOfAnswer)(provenance);
  const fields = { code, ...provenanceFields(provenance, cost) };
  return { ...fields, ...fitToBytes(details, maxMetadataBytes - Buffer.byteLength(JSON.stringify(fields))) };
};
