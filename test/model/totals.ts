import { amount, dollars, unpriced } from "./cost.ts";
import { latency } from "./instant.ts";
import type { ModelSpan, ModelTrace } from "./trace.ts";

/** Total usage of some spans. */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cost: number;
  /** Tokens without a known cost. */
  readonly unpriced: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

export const usageOf = (spans: readonly ModelSpan[]): Usage => ({
  prompt: sum(spans.map(({ fields }) => amount(fields["token_usage"], "prompt_tokens"))),
  completion: sum(spans.map(({ fields }) => amount(fields["token_usage"], "completion_tokens"))),
  // Rounded, so that equal costs are equal in sorting despite the errors of adding doubles.
  cost: Math.round(sum(spans.map(dollars)) * 1e12) / 1e12,
  unpriced: sum(spans.map(unpriced)),
});

/** Total tokens, rounded to an integer. */
export const tokens = ({ prompt, completion }: Usage): number => Math.round(prompt + completion);

/** Sum of the tokens shown for each trace. */
export const tokensOf = (traces: readonly ModelTrace[]): number =>
  sum(traces.map((trace) => tokens(usageOf(spansOf([trace])))));

export const spansOf = (traces: readonly ModelTrace[]): readonly ModelSpan[] =>
  traces.flatMap(({ spans }) => [...spans.values()]);

/** Latencies in milliseconds of traces that ended at or after their start. */
export const latenciesOf = (traces: readonly ModelTrace[]): readonly number[] =>
  traces.flatMap(({ startedAt, endedAt }) => latency(startedAt, endedAt) ?? []);

/** The sum of numbers; null without any. */
export const sumOrNull = (numbers: readonly number[]): number | null => (numbers.length === 0 ? null : sum(numbers));

/** Number of a trace's spans with an error. */
export const failures = ({ spans }: ModelTrace): number =>
  [...spans.values()].filter(({ fields: { status, error } }) => status === "ERROR" || error !== null).length;

/** True if a trace or one of its spans failed. */
export const hasFailure = (trace: ModelTrace): boolean => trace.status === "ERROR" || failures(trace) > 0;
