import { setTimeout as wait } from "node:timers/promises";
import { Refusal } from "../domain/refusal.ts";
import { Contention, isCancelledByThrottle, isLostRace, Overload } from "./failure.ts";
import { throttled, type Patience } from "./patience.ts";

/** What a piece of work gives in place of a result when it was lost to another: it is to look again. */
export const again = Symbol("again");

/** Time and chance, where they are not the real ones. */
export interface Pace {
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/**
 * Does a piece of work until it gives a result. It looks again, from its first read on, when it gives `again`, when DynamoDB
 * says that a write of it was lost to another, and, with a patience of its own, when an item of its transaction was
 * throttled; any other error is a fault, and ends it.
 *
 * @param otherwise what it ends with when the patience is over; is told the error of the last attempt, if there was one.
 * @throws Overload when it is throttled for longer than `patience.throttled`.
 */
export const attempts = async <Result>(
  patience: Patience,
  otherwise: (lost: unknown) => Result,
  work: () => Promise<Result | typeof again>,
  { sleep = wait, random = Math.random }: Pace = {},
): Promise<Result> => {
  const pauseFor = async (most: number): Promise<void> => {
    const pause = random() * most;
    if (pause > 0) await sleep(pause);
  };
  for (let [made, throttles] = [0, 0]; ;) {
    let lost: unknown;
    try {
      const outcome = await work();
      if (outcome !== again) return outcome;
    } catch (error) {
      lost = error;
    }
    if (lost === undefined || isLostRace(lost)) {
      made += 1;
      if (made === patience.times) return otherwise(lost);
      await pauseFor(patience.wait(made));
    } else {
      throttles += 1;
      if (!isCancelledByThrottle(lost)) throw lost;
      // Under a name of its own: work around this work is not to begin all of it again.
      if (throttles === throttled.times)
        throw new Overload("An item of a transaction was throttled at every attempt.", { cause: lost });
      await pauseFor(throttled.wait(throttles));
    }
  }
};

/** Ends a request that may be made again: 503 with this text. */
export const unavailable = (detail: string) => (): never => {
  throw new Refusal({ kind: "unavailable", detail });
};

/** Ends work whose caller cannot do anything about it. */
export const contended =
  (message: string) =>
  (lost: unknown): never => {
    throw new Contention(message, { cause: lost });
  };

/** Ends a batch: 503 in a request. */
export const overloaded = (): never => {
  throw new Overload("DynamoDB did not take all items of a batch.");
};
