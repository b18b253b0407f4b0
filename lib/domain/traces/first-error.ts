import type { Instant } from "../instant.ts";
import { splitError } from "./error-text.ts";
import { previewOf } from "./facts.ts";
import type { Span } from "./trace.ts";

/** Error of a span: the span's start, and the first characters of its type and message on one line. */
export interface FirstError {
  readonly at: Instant;
  readonly text: string;
}

/** Returns the earlier of two errors, of simultaneous ones that with the lower text: the order of spans does not matter. */
export const earlierError = (a: FirstError | null, b: FirstError | null): FirstError | null => {
  if (a === null || b === null) return a ?? b;
  if (a.at !== b.at) return a.at < b.at ? a : b;
  return a.text < b.text ? a : b;
};

/** Returns the error message of the span that started first among those with one; null without messages. */
export const firstErrorOf = (spans: readonly Span[]): FirstError | null =>
  spans
    .map(({ started_at: at, error }): FirstError | null => {
      const text = error === null ? null : previewOf(splitError(error).head);
      return text === null || text === "" ? null : { at, text };
    })
    .reduce(earlierError, null);
