import { allEnded } from "./all-ended.ts";

/** How a worker goes through what is due. */
export interface Turns<Item> {
  /** Epoch milliseconds after which nothing more is begun. */
  readonly until: number;
  readonly now: () => number;
  /** Milliseconds that one turn gets; absent: all there are. */
  readonly turn?: number;
  /** Items at a time. */
  readonly width?: number;
  /**
   * Remembers that an item has had its turn, before the turn begins: one that its worker dies of goes behind the others, too.
   *
   * @returns false when it is not to be worked on, since another worker has it.
   */
  readonly touch?: (item: Item) => Promise<boolean>;
}

/** What came of it. */
export interface TurnsTaken {
  /** Items that had their turn, those that failed included. */
  readonly taken: number;
  /** Whether there was no time for all. */
  readonly left: boolean;
  /** What the first items that failed threw. */
  readonly failures: readonly unknown[];
  readonly failed: number;
}

/** Failures that are told of: what is wrong with all of them is seen from a few. */
const failuresKept = 10;

/**
 * Gives everything that is due its turn, until the time is over: each on its own, so that one that fails or takes for ever
 * costs the others nothing but its turn. However slow everything is, the first has its turn: who comes again and again gets
 * to all.
 *
 * @param due who was touched least recently first. It is read as it is worked on, and no further.
 * @param work gets the instant at which its turn is over, epoch milliseconds.
 * @throws what `due` throws; what `work` and `touch` throw is told of.
 */
export const inTurns = async <Item>(
  due: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item, until: number) => Promise<unknown>,
  { until, now, turn = Number.POSITIVE_INFINITY, width = 1, touch = async () => true }: Turns<Item>,
): Promise<TurnsTaken> => {
  const failures: unknown[] = [];
  let [taken, failed, left] = [0, 0, false];
  const turns = (async function* () {
    for await (const item of due) {
      left = taken > 0 && now() >= until;
      if (left) return;
      taken += 1;
      yield item;
    }
  })();

  const lane = async (): Promise<void> => {
    for await (const item of turns) {
      try {
        if (await touch(item)) await work(item, Math.min(until, now() + turn));
      } catch (error) {
        failed += 1;
        if (failures.length < failuresKept) failures.push(error);
      }
    }
  };

  await allEnded(Array.from({ length: width }, lane));
  return { taken, left, failures, failed };
};

/** @param what has failed, in words: `Runs that could not be repaired`. @throws AggregateError when something failed. */
export const throwFailures = ({ failures, failed }: Pick<TurnsTaken, "failures" | "failed">, what: string): void => {
  if (failed > 0) throw new AggregateError(failures, `${what}: ${failed}.`);
};
