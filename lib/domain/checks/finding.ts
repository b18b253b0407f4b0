import { abbreviate } from "../text.ts";
import type { CheckedTrace, SpanReference } from "./checked-trace.ts";
import type { MissingInput } from "./missing-input.ts";

/** The result of one condition on a trace. */
export interface Finding {
  /** True if the trace meets the condition; null if it has too little information to decide. */
  readonly holds: boolean | null;
  /** A clause that describes the observation, such as "there are 3". */
  readonly observed: string;
  /** Spans that the observation refers to; empty if the observation is about the trace as a whole. */
  readonly spans: readonly SpanReference[];
  /** Code of the input that the trace lacks, so that the condition does not apply. */
  readonly absent?: MissingInput;
}

/** A compiled condition: a clause that describes it, and its evaluation on a trace. */
export interface PreparedCondition {
  readonly clause: string;
  readonly evaluate: (checked: CheckedTrace) => Finding;
  /** Number of compiled instructions of the condition's regular expressions, which bounds the evaluation time. */
  readonly instructions: number;
}

/** Maximum number of spans in a finding. */
const maxSpans = 5;

export const createFinding = (
  holds: boolean | null,
  observed: string,
  spans: readonly (SpanReference | null)[] = [],
): Finding => ({
  holds,
  observed,
  spans: spans.filter((span) => span !== null).slice(0, maxSpans),
});

const maxQuotedLength = 80;

/** Quotes a text for use in a sentence, shortened to 80 characters. */
export const quoted = (text: string): string => JSON.stringify(abbreviate(text, maxQuotedLength));

export const countWithNoun = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
