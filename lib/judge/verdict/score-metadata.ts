import type { Tier } from "../../domain/runs/tier.ts";
import type { JsonObject } from "../../domain/json.ts";
import { fitted } from "../transcript/clip.ts";
import { reasons, type FailureCode } from "../../domain/scores/reason-codes.ts";
import type { Sampling, Tokens } from "../providers/provider.ts";
import type { Expense } from "../question/ask.ts";
import type { Coverage } from "../transcript/coverage.ts";

/** What a score's metadata may have, as JSON in UTF-8. */
const maxBytes = 16 * 1024;

/** Where a score, or the lack of one, comes from. */
export interface Provenance extends Expense {
  readonly model: string;
  readonly promptVersion: string;
  /** That was asked for. */
  readonly tier: Tier;
  /** Tells everything apart that may change a verdict on the same trace, see `setupVersion`. */
  readonly setup: string;
  readonly coverage: Coverage;
  readonly traceVersion: number;
  /** How the model was asked; absent or null where none was. */
  readonly sampling?: Sampling | null;
  readonly costOf: CostOf;
}

/** US dollars that tokens of a model, `<provider>/<model>`, cost, those billed at the flex tier among them; null when its price is not known. */
export type CostOf = (model: string, tokens: Tokens, flexTokens: Tokens) => number | null;

/** To a billionth, as costs are. */
const roundedUp = (dollars: number): number => Math.ceil(dollars * 1e9) / 1e9;

const all = ({ prompt, completion }: Tokens): number => prompt + completion;

/** The tier at which calls were answered. */
const tierOf = (tokens: Tokens, flexTokens: Tokens): Tier | "mixed" => {
  if (all(flexTokens) === 0) return "standard";
  return all(flexTokens) === all(tokens) ? "flex" : "mixed";
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
    untold,
    sampling,
  }: Provenance,
  cost: number | null,
): JsonObject => ({
  model,
  prompt_version: promptVersion,
  ...(tier === "flex" && { tier: tierOf(tokens, flexTokens) }),
  tokens: { ...tokens },
  cost_usd: cost,
  ...(untold > 0 && { charged_usd: roundedUp((cost ?? 0) + untold) }),
  attempts,
  ...(sampling && { temperature: sampling.temperature, ...(sampling.effort !== null && { effort: sampling.effort }) }),
  latency_ms: Math.round(latency),
  coverage: { ...coverage },
  trace_version: traceVersion,
});

const costOfCalls = ({ attempts, tokens, flexTokens, model, costOf }: Provenance): number | null =>
  attempts === 0 ? 0 : costOf(model, tokens, flexTokens);

/** An answer takes tokens: where none were counted its cost is not known, and 0 would say that it was free. */
const costOfAnswer = (provenance: Provenance): number | null => {
  const { attempts, tokens } = provenance;
  return attempts > 0 && tokens.prompt + tokens.completion === 0 ? null : costOfCalls(provenance);
};

/** How a value stands to the metric's threshold; null where that says nothing. */
export interface Outcome {
  readonly threshold: number;
  readonly success: boolean | null;
}

/** Metadata of a score: its provenance, what the metric adds (shortened to fit 16 KB), threshold and success. */
export const scoreMetadata = (provenance: Provenance, details: JsonObject, outcome: Outcome): JsonObject => {
  const before = provenanceFields(provenance, costOfAnswer(provenance));
  const room = maxBytes - Buffer.byteLength(JSON.stringify({ ...before, ...outcome }));
  return { ...before, ...fitted(details, room), ...outcome };
};

/** What a judgement that was not finished has used. */
export const expenseMetadata = (provenance: Provenance): JsonObject =>
  provenanceFields(provenance, costOfCalls(provenance));

/** Metadata of a FAILED score: why, its provenance, and what the metric adds (shortened to fit 16 KB). */
export const failureMetadata = (code: FailureCode, provenance: Provenance, details: JsonObject = {}): JsonObject => {
  const cost = (reasons[code].from === "call" ? costOfCalls : costOfAnswer)(provenance);
  const before = { code, ...provenanceFields(provenance, cost) };
  return { ...before, ...fitted(details, maxBytes - Buffer.byteLength(JSON.stringify(before))) };
};
