import type { JsonObject } from "../../domain/json.ts";
import { fitted } from "../transcript/clip.ts";
import { addTokens, type Tokens } from "../providers/completion.ts";
import type { Coverage } from "./coverage.ts";
import type { FailureCode } from "./verdict.ts";

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

/** What is known of a pair whatever came of it. */
export interface Circumstances extends Expense {
  readonly model: string;
  readonly promptVersion: string;
  readonly coverage: Coverage;
  readonly traceVersion: number;
  readonly costOf: CostOf;
}

/** US dollars that tokens of a model, `<provider>/<model>`, cost; null when its price is not known. */
export type CostOf = (model: string, tokens: Tokens) => number | null;

const told = (
  { model, promptVersion, tokens, attempts, latency, coverage, traceVersion }: Circumstances,
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

const costOfCalls = ({ attempts, tokens, model, costOf }: Circumstances): number | null =>
  attempts === 0 ? 0 : costOf(model, tokens);

/** An answer takes tokens: where none were counted its cost is not known, and 0 would say that it was free. */
const costOfAnswer = (circumstances: Circumstances): number | null => {
  const { attempts, tokens } = circumstances;
  return attempts > 0 && tokens.prompt + tokens.completion === 0 ? null : costOfCalls(circumstances);
};

/** Metadata of a score: circumstances, what the metric adds (shortened to fit 16 KB), threshold and success. */
export const scoreMetadata = (
  circumstances: Circumstances,
  details: JsonObject,
  threshold: number,
  value: number,
): JsonObject => {
  const fixed = { ...told(circumstances, costOfAnswer(circumstances)), threshold, success: value >= threshold };
  const room = maxBytes - Buffer.byteLength(JSON.stringify(fixed));
  const { threshold: _, success, ...before } = fixed;
  return { ...before, ...fitted(details, room), threshold, success };
};

/** Failures for which a provider did answer. */
const answered: ReadonlySet<FailureCode> = new Set([
  "judge_malformed",
  "judge_refused",
  "judge_truncated",
  "judge_out_of_range",
]);

/** Metadata of a pair without a score: why, and the circumstances. */
export const failureMetadata = (code: FailureCode, circumstances: Circumstances): JsonObject => ({
  code,
  ...told(circumstances, (answered.has(code) ? costOfAnswer : costOfCalls)(circumstances)),
});
