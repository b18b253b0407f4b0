import type { CheckedTrace, FoundSpan } from "./checked-trace.ts";

/** What was found of one condition. */
export interface Finding {
  /** Null: the trace does not tell. */
  readonly holds: boolean | null;
  /** A clause: what is so. */
  readonly observed: string;
  /** Spans that it is so of; none where it is the trace itself. */
  readonly spans: readonly FoundSpan[];
}

/** A condition that is ready to be looked at: what it says, as a clause, and what is found. */
export interface PreparedCondition {
  readonly says: string;
  readonly find: (checked: CheckedTrace) => Finding;
  /** Instructions of its patterns. */
  readonly size: number;
}

/** Spans that a finding names. */
const mostSpans = 5;

export const found = (holds: boolean | null, observed: string, spans: readonly (FoundSpan | null)[] = []): Finding => ({
  holds,
  observed,
  spans: spans.filter((span) => span !== null).slice(0, mostSpans),
});

const longestShown = 80;

/** A text for a sentence: in quotation marks, shortened. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}...` : text);

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
