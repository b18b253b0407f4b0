/** A reason why a (target, metric) pair has no value. */
interface FailureReason {
  /**
   * Origin of the reason: `call`, a provider gave no answer; `answer`, the answer is unusable; `service`, no provider
   * was involved; `run`, the pair was not judged and has no score, not even a FAILED one.
   */
  readonly from: "call" | "answer" | "service" | "run";
  /**
   * Retry policy: `never`; `once`, immediately by the same worker; `later`, as `once` and then for up to one day, when
   * the provider is available again.
   */
  readonly retry: "never" | "once" | "later";
  /** A sentence for users, without its full stop. */
  readonly message: string;
}

/** Reasons by code. Codes are stable: they are part of the metadata of FAILED scores and of a run's targets. */
export const reasons = {
  judge_rate_limited: { from: "call", retry: "later", message: "The judge's provider asks to wait" },
  judge_unavailable: { from: "call", retry: "later", message: "The judge's provider does not work right now" },
  judge_bad_request: { from: "call", retry: "never", message: "The judge's provider refused the request" },
  judge_auth: { from: "call", retry: "never", message: "The judge's provider does not accept the stored credentials" },
  judge_no_credit: {
    from: "call",
    retry: "never",
    message: "The account at the judge's provider has no credit left: add credit, then retry the run",
  },
  judge_malformed: {
    from: "answer",
    retry: "once",
    message: "The judge's answer is not of the form that was asked for",
  },
  judge_refused: { from: "answer", retry: "never", message: "The judge refused to answer" },
  judge_truncated: { from: "answer", retry: "once", message: "The judge's answer passed the limit of output tokens" },
  judge_out_of_range: { from: "answer", retry: "once", message: "The judge's verdict is not on the scale" },
  insufficient_evidence: {
    from: "service",
    retry: "never",
    message: "What the judge can be shown of the trace does not tell",
  },
  no_signals: {
    from: "service",
    retry: "never",
    message: "No trace of the session has a score that the metric rests on",
  },
  internal: {
    from: "service",
    retry: "never",
    message: "Judging was given up after several attempts without progress",
  },
  target_not_found: { from: "run", retry: "never", message: "The target is not there any more" },
  run_failed: { from: "run", retry: "never", message: "The run could not be judged at all" },
} as const satisfies Readonly<Record<string, FailureReason>>;

export type ReasonCode = keyof typeof reasons;

type CodesWhere<Part extends Partial<FailureReason>> = {
  [Code in ReasonCode]: (typeof reasons)[Code] extends Part ? Code : never;
}[ReasonCode];

/** Code of a reason that a FAILED score can have. */
export type FailureCode = Exclude<ReasonCode, CodesWhere<{ from: "run" }>>;

/** Code of a reason for which the same worker retries the judgement once. */
export type RetriedCode = CodesWhere<{ retry: "once" | "later" }>;

/** Returns the message of a reason as a full sentence. */
export const sentenceOf = (code: ReasonCode): string => `${reasons[code].message}.`;
