import type { Instant } from "../instant.ts";
import type { Watermark } from "./watermark.ts";

export const firingOutcomes = ["RUN", "SKIPPED_UNCHANGED", "FAILED"] as const;
type FiringOutcome = (typeof firingOutcomes)[number];

/** What a monitor's firing came to. It is decided once, however often the firing is delivered. */
export interface Firing {
  /** The scheduled instant, epoch milliseconds. */
  readonly scheduledAt: number;
  readonly decidedAt: Instant;
  readonly outcome: FiringOutcome;
  /** The run it made; null when it made none. */
  readonly runId: string | null;
  /** Why there is no run, in words for a user; null when there is one. */
  readonly reason: string | null;
  /** How far the run's snapshot saw at least; null when there is no run. */
  readonly watermark: Watermark | null;
}
