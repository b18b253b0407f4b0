import { WrittenNumber, type Value } from "./exact-json.ts";
import { latency } from "./instant.ts";
import type { ModelSpan, ModelTrace } from "./trace.ts";

const amount = (holder: Value | undefined, key: string): number => {
  if (typeof holder !== "object" || holder === null || Array.isArray(holder) || holder instanceof WrittenNumber)
    return 0;
  const value = (holder as Readonly<Record<string, Value>>)[key] ?? 0;
  return value instanceof WrittenNumber ? Number(value.digits) : Number(value);
};

/** What some spans used. */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cost: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

export const usageOf = (spans: readonly ModelSpan[]): Usage => ({
  prompt: sum(spans.map(({ fields }) => amount(fields["token_usage"], "prompt_tokens"))),
  completion: sum(spans.map(({ fields }) => amount(fields["token_usage"], "completion_tokens"))),
  cost: sum(spans.map(({ fields }) => amount(fields["cost"], "total"))),
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
