/** What a judge cites of the record it was shown, looked up there. */
export interface Citation {
  /** Null where it stands in the trace's own input, output or metadata. */
  readonly span_id: string | null;
  /** As the judge wrote it, at most 300 characters; null where a span is cited by its number alone. */
  readonly quote: string | null;
}

/** What a judge cites, and how much of it the record does not have. */
export interface Evidence {
  readonly cited: Citation[];
  readonly dropped: number;
}
