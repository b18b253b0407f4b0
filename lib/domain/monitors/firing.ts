import type { Instant } from "../instant.ts";
import type { Watermark } from "./watermark.ts";

export const firingOutcomes = ["RUN", "SKIPPED_UNCHANGED", "FAILED"] as const;
type FiringOutcome = (typeof firingOutcomes)[number];

/** The result of a monitor's firing; redeliveries of the firing's message do not change it. */
export interface Firing {
  /** The scheduled instant, epoch milliseconds. */
  readonly scheduledAt: number;
  readonly decidedAt: Instant;
  readonly outcome: FiringOutcome;
  /** Id of the created run; null if none was created. */
  readonly runId: string | null;
  /** Reason why there is no run, for the user; null if there is one. */
  readonly reason: string | null;
  /** Watermark after this firing: the run covers at least these targets. Null without a run. */
  readonly watermark: Watermark | null;
}
