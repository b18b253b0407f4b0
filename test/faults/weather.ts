import type { FaultRates } from "../support/faults/seeded-faults.ts";
import type { PartitionLimits } from "../support/faults/partitions.ts";
import type { Random } from "../support/random.ts";
import { noJudgeFaults, type JudgeFaults } from "./pipeline/scripted-judge.ts";
import { noQueueFaults, type QueueFaults } from "./pipeline/queue-model.ts";

/** Which faults may happen, and how often. */
export interface Weather {
  readonly database: FaultRates;
  /** What each partition takes; null: anything. */
  readonly partitions: PartitionLimits | null;
  readonly queue: QueueFaults;
  readonly judge: JudgeFaults;
  /** Probability per request that it takes some milliseconds longer, so that others come in between. */
  readonly slow: number;
  /** Probability per delivery that its function is killed somewhere in the middle of its requests. */
  readonly kill: number;
  /** Milliseconds that a process's clock may be wrong, either way. */
  readonly skew: number;
  /** The outbox delivers nothing: only the sweeper sets runs going. */
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

/** Switches each class of faults on or off: some of them together find more than all of them always. */
export const storm = (random: Random): Weather => {
  const rate = (most: number): number => (random.chance(0.5) ? most * (0.3 + 0.7 * random.next()) : 0);
  return {
    database: {
      throttle: rate(0.06),
      "throttled-item": rate(0.15),
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
    // Far below DynamoDB's own: a schedule writes little, and its time runs fast.
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
