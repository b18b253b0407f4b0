/** A citation of the judge, verified against the transcript that the judge was shown. */
export interface Citation {
  /** Id of the cited span; null for the trace's own input, output or metadata. */
  readonly span_id: string | null;
  /** Quote as the judge wrote it, at most 300 characters; null if the judge cited only the number of a span. */
  readonly quote: string | null;
}

/** The verified citations of a judge, and the number of citations that are not in the transcript. */
export interface Evidence {
  readonly cited: Citation[];
  readonly dropped: number;
}
