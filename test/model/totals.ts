import { countedSpans, type CountedSpan } from "./counted.ts";
import { latency } from "./instant.ts";
import type { ModelTrace } from "./trace.ts";

/** Total usage of some spans. */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cost: number;
  /** Tokens without a known cost. */
  readonly unpriced: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

export const usageOf = (spans: readonly CountedSpan[]): Usage => ({
  prompt: sum(spans.map(({ prompt }) => prompt)),
  completion: sum(spans.map(({ completion }) => completion)),
  // Rounded, so that equal costs are equal in sorting despite the errors of adding doubles.
  cost: Math.round(sum(spans.map(({ dollars }) => dollars)) * 1e12) / 1e12,
  unpriced: sum(spans.map(({ unpriced }) => unpriced)),
});

/** Total tokens, rounded to an integer. */
export const tokens = ({ prompt, completion }: Usage): number => Math.round(prompt + completion);

/** Sum of the tokens shown for each trace. */
export const tokensOf = (traces: readonly ModelTrace[]): number =>
  sum(traces.map((trace) => tokens(usageOf(spansOf([trace])))));

/** Counted spans by trace: a list compares the sums of each trace with all others. */
const counted = new WeakMap<ModelTrace, readonly CountedSpan[]>();

/** The spans of traces whose usage is not that of other spans, with what is counted of it. */
export const spansOf = (traces: readonly ModelTrace[]): readonly CountedSpan[] =>
  traces.flatMap((trace) => {
    const spans = counted.get(trace) ?? countedSpans(trace);
    counted.set(trace, spans);
    return spans;
  });

/** Latencies in milliseconds of traces that ended at or after their start. */
export const latenciesOf = (traces: readonly ModelTrace[]): readonly number[] =>
  traces.flatMap(({ startedAt, endedAt }) => latency(startedAt, endedAt) ?? []);

/** The sum of numbers; null without any. */
export const sumOrNull = (numbers: readonly number[]): number | null => (numbers.length === 0 ? null : sum(numbers));

/** Number of a trace's spans with an error. */
export const failures = ({ spans }: ModelTrace): number =>
  [...spans.values()].filter(({ fields: { status, error } }) => status === "ERROR" || error !== null).length;

/** First 120 characters of a text on one line. */
const beginning = (text: string): string =>
  Array.from(text.replaceAll(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim())
    .slice(0, 120)
    .join("")
    .toWellFormed();

/** Beginning of the error message of the span that started first, of simultaneous spans the lower one; undefined without one. */
export const firstError = ({ spans }: ModelTrace): string | undefined => {
  const errors = [...spans.values()].flatMap(({ startedAt, fields: { error } }) => {
    const text = typeof error === "string" ? beginning(error) : "";
    return text === "" ? [] : [{ startedAt, text }];
  });
  const first = errors.reduce<(typeof errors)[number] | undefined>((before, error) => {
    if (before === undefined || error.startedAt < before.startedAt) return error;
    return error.startedAt === before.startedAt && error.text < before.text ? error : before;
  }, undefined);
  return first?.text;
};

/** True if a trace or one of its spans failed. */
export const hasFailure = (trace: ModelTrace): boolean => trace.status === "ERROR" || failures(trace) > 0;
