import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems, erasePartition, keyPages, type Erase } from "../../dynamo/erase-items.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { uuidBytes } from "../../dynamo/bytes/text.ts";
import { traceDays, type TraceDay } from "../traces/days.ts";
import { bodyPartition, keyOfRow } from "../traces/keys.ts";

const rowItem = v.object({ pk: v.instance(Uint8Array), sk: v.instance(Uint8Array) });

/** Traces erased at the same time. */
const parallelTraces = 10;

/** Days checked for rows at the same time. */
const parallelDays = 20;

/** Days removed from the list of days in one write: a write costs as much as the whole list weighs. */
const removedDaysBatch = 1_000;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/**
 * Erases documents and rows of a project's traces, by the list of days that have rows. A request that began before the
 * project was deleted may still add a day. Once no such writer is left, days without rows are removed from the list, so
 * that the last erase passes are short. A row that slipped through is found by the table scan.
 *
 * @param haveWritersEnded true if no request can write a trace of the project any more.
 */
export const eraseTraces = (database: Database, haveWritersEnded: boolean): Erase => {
  const days = traceDays(database);

  const isEmpty = async ({ partitions }: TraceDay): Promise<boolean> => {
    const firstRows = await Promise.all(
      partitions.map((pk) => itemsOf(database, "rows").page({ pk, attributes: "pk", limit: 1 })),
    );
    return firstRows.every(({ items }) => items.length === 0);
  };

  const eraseTrace = async (project: string, sk: Uint8Array, pk: Uint8Array): Promise<number> => {
    const { traceId } = keyOfRow(sk);
    let erased = 0;
    const body = erasePartition(database, "bodies", bodyPartition(project, traceId));
    for await (const parts of body) erased += parts;
    // The row is deleted last, because the parts are found through it.
    return erased + (await eraseItems(database, "rows", [{ pk, sk }]));
  };

  const eraseDay = async function* (project: string, { partitions }: TraceDay): AsyncGenerator<number> {
    for (const partition of partitions) {
      for await (const keys of keyPages(database, "rows", partition)) {
        const rows = keys.map((key) => v.parse(rowItem, key));
        for (let start = 0; start < rows.length; start += parallelTraces) {
          const group = rows.slice(start, start + parallelTraces);
          yield sum(await Promise.all(group.map(({ pk, sk }) => eraseTrace(project, sk, pk))));
        }
      }
    }
  };

  return async function* (project) {
    const [newest, ...olderDays] = await days.list(project, true);
    if (newest === undefined) return;
    yield* eraseDay(project, newest);
    let emptyDays: string[] = [];
    const removeEmptyDays = async (): Promise<void> => {
      if (haveWritersEnded && emptyDays.length > 0) await days.remove(project, emptyDays);
      emptyDays = [];
    };
    try {
      for (let start = 0; start < olderDays.length; start += parallelDays) {
        const group = olderDays.slice(start, start + parallelDays);
        const checkedDays = await Promise.all(group.map(async (day) => ({ day, isEmptyDay: await isEmpty(day) })));
        emptyDays.push(...checkedDays.filter(({ isEmptyDay }) => isEmptyDay).map(({ day }) => day.day));
        if (emptyDays.length >= removedDaysBatch) await removeEmptyDays();
        for (const { day, isEmptyDay } of checkedDays) if (!isEmptyDay) yield* eraseDay(project, day);
        yield 0;
      }
    } finally {
      // The consumer may stop at any `yield`, at the end of its time: the next pass skips these days.
      await removeEmptyDays();
    }
  };
};

/** Erases a project's list of days and its tombstones, once no request can write a trace of the project any more. */
export const eraseDays =
  (database: Database): Erase =>
  (project) =>
    erasePartition(database, "rows", uuidBytes(project));
