import type { FaultRates } from "../support/faults/seeded-faults.ts";
import type { Random } from "../support/random.ts";
import { noJudgeFaults, type JudgeFaults } from "./pipeline/scripted-judge.ts";
import { noQueueFaults, type QueueFaults } from "./pipeline/queue-model.ts";

/** Which faults may happen, and how often. */
export interface Weather {
  readonly database: FaultRates;
  readonly queue: QueueFaults;
  readonly judge: JudgeFaults;
  /** Probability per delivery that its function is killed somewhere in the middle of its requests. */
  readonly kill: number;
  /** Milliseconds that a process's clock may be wrong, either way. */
  readonly skew: number;
  /** The outbox delivers nothing: only the sweeper sets runs going. */
  readonly streamOff: boolean;
}

export const calm: Weather = {
  database: {},
  queue: noQueueFaults,
  judge: noJudgeFaults,
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
      "server-error": rate(0.04),
      conflict: rate(0.2),
      "timeout-before": rate(0.05),
      "timeout-after": rate(0.1),
      "crash-before": rate(0.03),
      "crash-after": rate(0.03),
      "partial-batch": rate(0.5),
      "stale-index": rate(0.3),
    },
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
    kill: rate(0.3),
    skew: random.chance(0.5) ? random.pick([5_000, 300_000]) : 0,
    streamOff: random.chance(0.1),
  };
};
