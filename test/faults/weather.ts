import type { FaultRates } from "../support/faults/seeded-faults.ts";
import type { PartitionLimits } from "../support/faults/partitions.ts";
import type { Random } from "../support/random.ts";
import { noJudgeFaults, type JudgeFaults } from "./pipeline/scripted-judge.ts";
import { noQueueFaults, type QueueFaults } from "./pipeline/queue-model.ts";

/** Kinds and rates of the faults of a schedule. */
export interface Weather {
  readonly database: FaultRates;
  /** Capacity of each partition; null means unlimited. */
  readonly partitions: PartitionLimits | null;
  readonly queue: QueueFaults;
  readonly judge: JudgeFaults;
  /** Probability per request of some additional milliseconds, so that other requests overtake it. */
  readonly slow: number;
  /** Probability per delivery that its function is killed between two requests. */
  readonly kill: number;
  /** Maximum error of a process's clock in milliseconds, in either direction. */
  readonly skew: number;
  /** True if the stream delivers nothing, so that only the sweeper starts runs. */
  readonly streamOff: boolean;
}

export const calm: Weather = {
  database: {},
  partitions: null,
  queue: noQueueFaults,
  judge: noJudgeFaults,
  slow: 0,
  kill: 0,
  skew: 0,
  streamOff: false,
};

/** Draws which classes of faults are active: partial combinations find more than all faults together. */
export const storm = (random: Random): Weather => {
  const rate = (maxRate: number): number => (random.chance(0.5) ? maxRate * (0.3 + 0.7 * random.next()) : 0);
  return {
    database: {
      throttle: rate(0.06),
      "throttled-item": rate(0.3),
      "server-error": rate(0.04),
      conflict: rate(0.2),
      "timeout-before": rate(0.05),
      "timeout-after": rate(0.1),
      reset: rate(0.05),
      "crash-before": rate(0.03),
      "crash-after": rate(0.03),
      "partial-batch": rate(0.5),
      "partial-get": rate(0.5),
      "stale-index": rate(0.3),
    },
    // Far below DynamoDB's limits, as a schedule writes little and its time runs fast.
    partitions: random.chance(0.3) ? { write: 0.2, read: 1, burst: 30 } : null,
    queue: {
      sendFails: rate(0.2),
      sendPartial: rate(0.2),
      duplicate: rate(0.4),
      deleteLost: rate(0.3),
      lateDuplicate: rate(0.3),
      showAgainFails: rate(0.2),
      throttled: rate(0.2),
    },
    judge: { deferred: rate(0.3), throws: rate(0.05), slow: rate(0.1), hangs: rate(0.02), crash: rate(0.02) },
    slow: rate(0.4),
    kill: rate(0.3),
    skew: random.chance(0.5) ? random.pick([5_000, 300_000]) : 0,
    streamOff: random.chance(0.1),
  };
};
