import { setTimeout as wait } from "node:timers/promises";
import { Refusal } from "../domain/refusal.ts";
import { Contention, isLostRace, Overload } from "./failure.ts";

/** How long to go on with what others may be faster at. */
export interface Patience {
  /** Attempts altogether. */
  readonly attempts: number;
  /**
   * Milliseconds to wait at most before the next attempt, after so many lost ones, 1 at least. The wait is drawn at random
   * from 0 up to it, so that those who met once do not meet again.
   */
  readonly longestWait: (lost: number) => number;
}

const doubling =
  (first: number, most: number) =>
  (lost: number): number =>
    Math.min(most, first * 2 ** (lost - 1));

export const patience = {
  /**
   * For what nobody is in the middle of: the other one has finished, and what it left can be read at once. Reads that fall
   * between the steps of a writer; sums of one shard, hours, counters and names, at which few meet.
   */
  brief: { attempts: 10, longestWait: () => 0 },

  /**
   * For a change that a caller waits for and several people or programs may make at once: a score, a monitor, a run, a
   * member, a project. 3 s on average, 6 s at most, of the gateway's 29 s.
   */
  request: { attempts: 20, longestWait: doubling(10, 400) },

  /**
   * For what judge workers and purges do in large transactions, dozens of them at a time: the counts of a run, budgets,
   * scores that go with their copies. 3 s on average, 6 s at most, which is far below a lease.
   */
  worker: { attempts: 12, longestWait: doubling(20, 1000) },

  /**
   * For the writers of one trace, hundreds of which may come at once with a span each. The wait grows while they may be few,
   * and shrinks for those who have lost often: they are next. 1 s on average, 2 s at most.
   */
  crowd: {
    attempts: 80,
    longestWait: (lost: number) => (lost <= 5 ? 10 * 2 ** (lost - 1) : Math.max(10, 160 - 12 * (lost - 6))),
  },

  /** For another request that is creating the same run: it is a matter of its next write. 5 s on average. */
  creation: { attempts: 100, longestWait: () => 100 },

  /**
   * For items of a batch that DynamoDB has no capacity for at the moment. Of a batch of 25 writes it takes one at least or
   * throws, so that nobody gives up while it takes any. 12 s on average, 24 s at most.
   */
  capacity: { attempts: 30, longestWait: doubling(20, 1000) },
} as const satisfies Readonly<Record<string, Patience>>;

/** What a piece of work gives in place of a result when it was lost to another: it is to look again. */
export const again = Symbol("again");

/** Time and chance. */
export interface Pace {
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

export const realPace: Pace = { sleep: wait, random: Math.random };

/**
 * Does a piece of work until it gives a result. It looks again, from its first read on, when it gives `again` and when
 * DynamoDB says that a write of it was lost to another; any other error is a fault, and ends it.
 *
 * @param otherwise what it ends with when the patience is over; is told the error of the last attempt, if there was one.
 */
export const attempts = async <Result>(
  { attempts: most, longestWait }: Patience,
  otherwise: (lost: unknown) => Result,
  work: () => Promise<Result | typeof again>,
  { sleep, random }: Pace = realPace,
): Promise<Result> => {
  let lost: unknown;
  for (let made = 0; made < most; made += 1) {
    const pause = made === 0 ? 0 : random() * longestWait(made);
    if (pause > 0) await sleep(pause);
    try {
      lost = undefined;
      const outcome = await work();
      if (outcome !== again) return outcome;
    } catch (error) {
      if (!isLostRace(error)) throw error;
      lost = error;
    }
  }
  return otherwise(lost);
};

/** Ends a request that may be made again: 503 with this text. */
export const unavailable = (detail: string) => (): never => {
  throw new Refusal({ kind: "unavailable", detail });
};

/** Ends work whose caller cannot do anything about it. */
export const contended =
  (message: string) =>
  (lost: unknown): never => {
    throw new Contention(message, lost);
  };

/** Ends a batch: 503 in a request. */
export const overloaded = (): never => {
  throw new Overload();
};
