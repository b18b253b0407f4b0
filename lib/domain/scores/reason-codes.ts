/** Why a (target, metric) pair has no value. */
interface Reason {
  /**
   * Where it came about: a provider gave no answer; its answer cannot be used; it was not a provider's. `run`: judging did not
   * come to the pair, which then has no score, not even a FAILED one.
   */
  readonly from: "call" | "answer" | "service" | "run";
  /**
   * Whether it is tried again: not at all; once by the same worker; or, when that does not help, `later` as well, when the
   * provider is there again, for a day at most.
   */
  readonly again: "never" | "once" | "later";
  /** A sentence for users, without its full stop. */
  readonly words: string;
}

/** Every reason by its code. Codes are stable: they stand in the metadata of FAILED scores, and a run's targets tell them. */
export const reasons = {
  judge_rate_limited: { from: "call", again: "later", words: "The judge's provider asks to wait" },
  judge_unavailable: { from: "call", again: "later", words: "The judge's provider does not work right now" },
  judge_bad_request: { from: "call", again: "never", words: "The judge's provider refused the request" },
  judge_auth: { from: "call", again: "never", words: "The judge's provider does not accept the stored credentials" },
  judge_no_credit: {
    from: "call",
    again: "never",
    words: "The account at the judge's provider has no credit left: add credit, then retry the run",
  },
  judge_malformed: { from: "answer", again: "once", words: "The judge's answer is not of the form that was asked for" },
  judge_refused: { from: "answer", again: "never", words: "The judge refused to answer" },
  judge_truncated: { from: "answer", again: "once", words: "The judge's answer passed the limit of output tokens" },
  judge_out_of_range: { from: "answer", again: "never", words: "The judge's verdict is not on the scale" },
  insufficient_evidence: {
    from: "service",
    again: "never",
    words: "What the judge can be shown of the trace does not tell",
  },
  no_signals: {
    from: "service",
    again: "never",
    words: "No trace of the session has a score that the metric rests on",
  },
  internal: { from: "service", again: "never", words: "Judging was given up after several attempts without progress" },
  target_not_found: { from: "run", again: "never", words: "The target is not there any more" },
  run_failed: { from: "run", again: "never", words: "The run could not be judged at all" },
} as const satisfies Readonly<Record<string, Reason>>;

export type ReasonCode = keyof typeof reasons;

type CodesWhere<Part extends Partial<Reason>> = {
  [Code in ReasonCode]: (typeof reasons)[Code] extends Part ? Code : never;
}[ReasonCode];

/** A reason that a FAILED score may have. */
export type FailureCode = Exclude<ReasonCode, CodesWhere<{ from: "run" }>>;

/** A reason for which the same worker tries once more. */
export type RetriedCode = CodesWhere<{ again: "once" | "later" }>;

/** A reason's words as a whole sentence. */
export const sentenceOf = (code: ReasonCode): string => `${reasons[code].words}.`;
