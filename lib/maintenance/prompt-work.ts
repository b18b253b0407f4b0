import { timeoutResult, withTimeout } from "../async/concurrency.ts";
import { inTurns, throwFailures } from "../async/in-turns.ts";
import { faultFields, logLine } from "../log.ts";
import type { Cursor } from "../dynamo/cursor.ts";
import { markersInFairTurns } from "../store/hours/fair-turns.ts";
import type { PendingMarker, PendingMarkers } from "../store/hours/pending-markers.ts";

/** Milliseconds for a stream batch, after which its remaining items are marked for the sweeper. */
const batchMilliseconds = 10_000;

/** One kind of work that a stream batch begins and the sweeper completes. */
interface PromptWork<Item> {
  /** @param until epoch milliseconds. @returns false if something of the item remains. */
  readonly work: (item: Item, until: number) => Promise<boolean>;
  /** Marks an item for the sweeper. */
  readonly mark: (item: Item) => Promise<void>;
  /** Log fields of an item whose work failed. */
  readonly logFields: (item: Item) => Readonly<Record<string, string>>;
  /** Name of the log line of an item whose work failed. */
  readonly event: string;
  readonly concurrency: number;
}

/**
 * Works on items right away. Those that take long or fail are marked for the sweeper, since other work waits in the same stream: the work
 * neither fails nor repeats a batch.
 *
 * @throws AggregateError when an item could not be marked.
 */
export const workPromptly = async <Item>(
  items: Iterable<Item>,
  { work, mark, logFields, event, concurrency }: PromptWork<Item>,
  now: () => number,
): Promise<void> => {
  const until = now() + batchMilliseconds;
  const isDone = async (item: Item): Promise<boolean> => {
    if (now() >= until) return false;
    try {
      return (await withTimeout(work(item, until), until - now())) === true;
    } catch (error) {
      logLine(event, { ...logFields(item), ...faultFields(error) });
      return false;
    }
  };
  const turn = async (item: Item): Promise<void> => {
    if (!(await isDone(item))) await mark(item);
  };
  const turns = await inTurns(items, turn, { until: Number.POSITIVE_INFINITY, now, concurrency });
  throwFailures(turns, "Items that could not be marked");
};

/** Milliseconds for one marked item: the sweeper has other tasks. */
const itemMilliseconds = 80_000;

/** Report of a sweep over markers. */
interface MarkerSweep {
  readonly taken: number;
  readonly completed: number;
  /** True if time ran out: the next sweep continues with the remaining markers. */
  readonly isIncomplete: boolean;
}

/**
 * Works on marked items, a few of each project in turn.
 *
 * @param work returns false if something of the item remains. @param budget milliseconds; remaining items wait for the next sweep.
 * @throws AggregateError when the work on some items failed, after all others.
 */
export const sweepMarkers = async (
  pending: Pick<PendingMarkers, "listAfter" | "clear">,
  cursor: Cursor,
  work: (marker: PendingMarker, until: number) => Promise<boolean>,
  { budget, failure, concurrency }: { readonly budget: number; readonly failure: string; readonly concurrency: number },
  now: () => number,
): Promise<MarkerSweep> => {
  let completed = 0;
  const turn = async (marker: PendingMarker, until: number): Promise<void> => {
    const result = await withTimeout(work(marker, until), itemMilliseconds);
    if (result === timeoutResult || !result) return;
    await pending.clear(marker);
    completed += 1;
  };
  const options = { until: now() + budget, now, concurrency };
  const turns = await inTurns(markersInFairTurns(pending, cursor, now), turn, options);
  throwFailures(turns, failure);
  return { taken: turns.taken, completed, isIncomplete: turns.isIncomplete };
};
