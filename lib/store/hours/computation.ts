import { allEnded } from "../../async/all-ended.ts";
import { semaphore } from "../../async/semaphore.ts";
import { rollupTally } from "../../domain/analytics/hour-rollup.ts";
import { contributionsOf, type Contribution } from "../../domain/traces/totals.ts";
import type { Database } from "../database.ts";
import { withState } from "../traces/large-documents.ts";
import { traceReader } from "../traces/reader.ts";
import { documentUsage } from "./document-usage.ts";
import type { Computed } from "./items.ts";
import type { HourKey } from "./keys.ts";
import { hourRows, type HourRow } from "./rows.ts";

/** Documents in memory at the same time, whatever number of hours is computed: each may have 32 MiB. */
const mostDocuments = 4;

/** Rows that are added together, and those of them whose documents are needed: what they used may be 10,000 sums each. */
const [rowsTogether, neededTogether] = [200, 8];

const isNeeded = ({ trace }: HourRow): boolean => trace.contributions === null;

/** Rows in their order, some at a time. */
const someRows = async function* (rows: AsyncIterable<HourRow>): AsyncGenerator<readonly HourRow[]> {
  let [some, needed]: [HourRow[], number] = [[], 0];
  for await (const row of rows) {
    some.push(row);
    if (isNeeded(row)) needed += 1;
    if (some.length < rowsTogether && needed < neededTogether) continue;
    yield some;
    [some, needed] = [[], 0];
  }
  yield some;
};

/** Thrown where the time of a computation is over. */
class OutOfTime extends Error {}

/** Makes the function that computes an hour from its rows, and from documents where a row has no room for all models. */
export const hourComputation = (database: Database, now: () => number) => {
  const rows = hourRows(database);
  const documents = traceReader(database, now);
  const known = documentUsage(database, now);
  const turns = semaphore(mostDocuments);

  const read = (key: HourKey, row: HourRow, until: number): Promise<readonly Contribution[]> =>
    turns(async () => {
      if (now() >= until) throw new OutOfTime();
      const found = await withState(documents, key.project, row.trace.traceId, async (state) =>
        contributionsOf(state.kind === "stored" ? state.trace.spans : []),
      );
      await known.remember(key, row, found);
      return found;
    });

  /**
   * @param wasRead whether documents had been read when the hour was computed before.
   * @param until epoch milliseconds.
   * @returns null when there was no time for all of it. What was read of documents is known then: the next one goes on.
   */
  return async (key: HourKey, wasRead: boolean, until: number): Promise<Computed | null> => {
    const [tally, at] = [rollupTally(), now()];
    const along = known.along(key);
    let [count, isRead] = [0, false];

    const contributions = async (some: readonly HourRow[]): Promise<readonly (readonly Contribution[])[]> => {
      const held: (readonly Contribution[] | null)[] = [];
      for (const row of some) held.push(row.trace.contributions ?? (await along.of(row)));
      return await allEnded(some.map(async (row, index) => held[index] ?? (await read(key, row, until))));
    };

    try {
      for await (const some of someRows(rows.ofHour(key.project, key.hour, true))) {
        if (now() >= until) return null;
        count += some.length;
        isRead ||= some.some(isNeeded);
        const own = some.filter(({ expiry }) => expiry === key.expiry);
        const used = await contributions(own);
        own.forEach((row, index) => tally.add(row.trace, used[index] ?? []));
      }
    } catch (error) {
      if (error instanceof OutOfTime) return null;
      throw error;
    }
    if ((isRead || wasRead) && !(await along.forget(until))) isRead = true;
    return { ...tally.rollup(), rows: count, isRead, at };
  };
};
