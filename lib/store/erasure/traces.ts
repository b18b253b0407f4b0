import { mapConcurrently } from "../../async/concurrency.ts";
import { userMatcher } from "../../domain/access/pseudonym.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Erase } from "../../dynamo/erase-items.ts";
import { userRows } from "../traces/lists/user-rows.ts";
import { traceRemoval } from "../traces/removal.ts";
import type { ErasedTraces } from "./erased-traces.ts";
import type { TracePurge } from "../garbage/purge.ts";

/** Traces removed at the same time. */
const parallel = 20;

/**
 * Removes the traces of a user, as requests that delete one do.
 *
 * @param until epoch milliseconds: a trace that arrived later is removed, but the erasure waits for no more of them, so that a user who is
 *   still at work does not keep it from ending.
 */
export const eraseTracesOfUser = (
  database: Database,
  pseudonym: string,
  erased: ErasedTraces,
  until: number,
  now: () => number = Date.now,
): Erase => {
  const [walk, traces] = [userRows(database), traceRemoval(database, now)];
  return async function* (project, place = null) {
    const isOfUser = userMatcher(project, pseudonym);
    for await (const page of walk(project, pseudonym, place)) {
      for (let start = 0; start < page.rows.length; start += parallel) {
        const rows = page.rows.slice(start, start + parallel);
        await erased.add(rows);
        const removed = await mapConcurrently(rows, parallel, (row) =>
          traces.removeWhile(project, row, ({ userId }) => isOfUser(userId)),
        );
        yield rows.filter(({ arrivedAt }, at) => removed[at] === true && arrivedAt <= until).length;
      }
      yield { place: page.place };
    }
  };
};

/** Removes documents and scores of erased traces, which the stream does too: once they are gone the erasure may be proved. */
export const purgeTracesOfUser = (purge: TracePurge, erased: ErasedTraces): Erase =>
  async function* (project, place = null) {
    for await (const traces of erased.pages(place)) {
      await mapConcurrently(traces, parallel, ({ traceId, incarnation }) => purge.purge(project, traceId, incarnation));
      const last = traces.at(-1);
      if (last !== undefined) yield { place: last.incarnation };
    }
  };
