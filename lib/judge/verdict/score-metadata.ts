import type { JsonObject } from "../../domain/json.ts";
import { fitted } from "../transcript/clip.ts";
import { reasons, type FailureCode } from "../../domain/scores/reason-codes.ts";
import { addTokens, type Tokens } from "../providers/provider.ts";
import type { Coverage } from "./coverage.ts";

/** What a score's metadata may have, as JSON in UTF-8. */
const maxBytes = 16 * 1024;

/** How a pair was judged. Calls, tokens and time of a shared extraction count for the pair that made the call, 0 for the others. */
export interface Expense {
  readonly attempts: number;
  readonly tokens: Tokens;
  /** Milliseconds spent in calls, waits between them included. */
  readonly latency: number;
}

/** The sum of two expenses. */
export const together = (a: Expense, b: Expense): Expense => ({
  attempts: a.attempts + b.attempts,
  tokens: addTokens(a.tokens, b.tokens),
  latency: a.latency + b.latency,
});

/** Where a score, or the lack of one, comes from. */
export interface Provenance extends Expense {
  readonly model: string;
  readonly promptVersion: string;
  readonly coverage: Coverage;
  readonly traceVersion: number;
  readonly costOf: CostOf;
}

/** US dollars that tokens of a model, `<provider>/<model>`, cost; null when its price is not known. */
export type CostOf = (model: string, tokens: Tokens) => number | null;

const provenanceFields = (
  { model, promptVersion, tokens, attempts, latency, coverage, traceVersion }: Provenance,
  cost: number | null,
): JsonObject => ({
  model,
  prompt_version: promptVersion,
  tokens: { ...tokens },
  cost_usd: cost,
  attempts,
  latency_ms: Math.round(latency),
  coverage: { ...coverage },
  trace_version: traceVersion,
});

const costOfCalls = ({ attempts, tokens, model, costOf }: Provenance): number | null =>
  attempts === 0 ? 0 : costOf(model, tokens);

/** An answer takes tokens: where none were counted its cost is not known, and 0 would say that it was free. */
const costOfAnswer = (provenance: Provenance): number | null => {
  const { attempts, tokens } = provenance;
  return attempts > 0 && tokens.prompt + tokens.completion === 0 ? null : costOfCalls(provenance);
};

/** Metadata of a score: its provenance, what the metric adds (shortened to fit 16 KB), threshold and success. */
export const scoreMetadata = (
  provenance: Provenance,
  details: JsonObject,
  threshold: number,
  value: number,
): JsonObject => {
  const fixed = { ...provenanceFields(provenance, costOfAnswer(provenance)), threshold, success: value >= threshold };
  const room = maxBytes - Buffer.byteLength(JSON.stringify(fixed));
  const { threshold: _, success, ...before } = fixed;
  return { ...before, ...fitted(details, room), threshold, success };
};

/** Metadata of a FAILED score: why, and its provenance. */
export const failureMetadata = (code: FailureCode, provenance: Provenance): JsonObject => ({
  code,
  ...provenanceFields(provenance, (reasons[code].from === "answer" ? costOfAnswer : costOfCalls)(provenance)),
});
