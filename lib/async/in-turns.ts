import { awaitAll } from "./concurrency.ts";

/** Limits of a worker that processes due items in turns. */
export interface TurnOptions<Item> {
  /** Instant after which no further item is started, epoch milliseconds. */
  readonly until: number;
  readonly now: () => number;
  /** Milliseconds for one item; absent: no limit besides `until`. */
  readonly turnMilliseconds?: number;
  /** Items in work concurrently; 1 by default. */
  readonly concurrency?: number;
  /**
   * Records the turn of an item before it starts, so that an item that crashes its worker also moves to the end of the queue.
   *
   * @returns false if the item must be skipped, because another worker has it.
   */
  readonly beforeTurn?: (item: Item) => Promise<boolean>;
}

/** Result of processing items in turns. */
export interface TurnSummary {
  /** Items that had their turn, failed ones included. */
  readonly taken: number;
  /** True if the time was over before all items had their turn. */
  readonly isIncomplete: boolean;
  /** Errors of the first failed items, ten at most. */
  readonly failures: readonly unknown[];
  readonly failed: number;
}

/** Errors that a summary keeps: a few show what is wrong with all of them. */
const maxReportedFailures = 10;

/**
 * Processes due items one after the other until the time is over. A failed or slow item costs the others only its own turn. The
 * first item always has its turn, so that repeated calls reach all items.
 *
 * @param due items, oldest turn first; read lazily.
 * @param work processes one item; its second argument is the end of the turn, epoch milliseconds.
 * @throws errors of `due` only; errors of `work` and `beforeTurn` are in the summary.
 * @example
 * const turns = await inTurns(dueRuns, checkRun, { until: now() + 20_000, now, concurrency: 4 });
 * throwFailures(turns, "Runs that could not be repaired");
 */
export const inTurns = async <Item>(
  due: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item, until: number) => Promise<unknown>,
  {
    until,
    now,
    turnMilliseconds = Number.POSITIVE_INFINITY,
    concurrency = 1,
    beforeTurn = async () => true,
  }: TurnOptions<Item>,
): Promise<TurnSummary> => {
  const failures: unknown[] = [];
  let [taken, failed, isIncomplete] = [0, 0, false];
  const turns = (async function* () {
    for await (const item of due) {
      isIncomplete = taken > 0 && now() >= until;
      if (isIncomplete) return;
      taken += 1;
      yield item;
    }
  })();

  const lane = async (): Promise<void> => {
    for await (const item of turns) {
      try {
        if (await beforeTurn(item)) await work(item, Math.min(until, now() + turnMilliseconds));
      } catch (error) {
        failed += 1;
        if (failures.length < maxReportedFailures) failures.push(error);
      }
    }
  };

  await awaitAll(Array.from({ length: concurrency }, lane));
  return { taken, isIncomplete, failures, failed };
};

/** Throws if an item failed. @param description failed items in words: `Runs that could not be repaired`. @throws AggregateError with the first errors. */
export const throwFailures = (
  { failures, failed }: Pick<TurnSummary, "failures" | "failed">,
  description: string,
): void => {
  if (failed > 0) throw new AggregateError(failures, `${description}: ${failed}.`);
};
