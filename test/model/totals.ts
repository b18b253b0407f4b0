import { amount, dollars, unpriced } from "./cost.ts";
import { latency } from "./instant.ts";
import type { ModelSpan, ModelTrace } from "./trace.ts";

/** What some spans used. */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cost: number;
  /** Tokens that no cost is known for. */
  readonly unpriced: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

export const usageOf = (spans: readonly ModelSpan[]): Usage => ({
  prompt: sum(spans.map(({ fields }) => amount(fields["token_usage"], "prompt_tokens"))),
  completion: sum(spans.map(({ fields }) => amount(fields["token_usage"], "completion_tokens"))),
  // Without what adding doubles leaves behind, so that equal costs are equal where they are sorted.
  cost: Math.round(sum(spans.map(dollars)) * 1e12) / 1e12,
  unpriced: sum(spans.map(unpriced)),
});

/** Whole tokens: fractions are rounded in totals. */
export const tokens = ({ prompt, completion }: Usage): number => Math.round(prompt + completion);

/** Tokens of traces, added up from what each of them shows. */
export const tokensOf = (traces: readonly ModelTrace[]): number =>
  sum(traces.map((trace) => tokens(usageOf(spansOf([trace])))));

export const spansOf = (traces: readonly ModelTrace[]): readonly ModelSpan[] =>
  traces.flatMap(({ spans }) => [...spans.values()]);

/** Milliseconds of the traces that ended, not before they started. */
export const latenciesOf = (traces: readonly ModelTrace[]): readonly number[] =>
  traces.flatMap(({ startedAt, endedAt }) => latency(startedAt, endedAt) ?? []);

/** The sum of numbers; null when there are none. */
export const sumOrNull = (numbers: readonly number[]): number | null => (numbers.length === 0 ? null : sum(numbers));
