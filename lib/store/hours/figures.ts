import { ascending } from "../../domain/analytics/bucketed.ts";
import { beginsIn, hourRange, isWithin, type Edge, type HourRange } from "../../domain/analytics/hour-range.ts";
import type { FiguresOfHour } from "../../domain/analytics/trace-analytics.ts";
import { figureTally, type TraceFigures } from "../../domain/analytics/trace-figures.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { isGone } from "../expiry.ts";
import { hourReader } from "./reader.ts";
import { pendingHours, type HourSet } from "./hour-set.ts";
import { hourRows, type HourRow } from "./rows.ts";
import { pendingMarks } from "./pending-marks.ts";

/**
 * Counts and latencies of the traces that started in a range, ascending by hour: from stored sums, and from rows where a
 * sum is too old or the range cuts an hour. Of an hour whose rows have expired the sums are all there is: it counts where
 * it begins.
 */
export const analyticsFigures = (database: Database, now: () => number = Date.now) => {
  const [rows, stored, pending] = [hourRows(database), hourReader(database), pendingMarks(database, "hours")];

  const tallied = async (found: AsyncIterable<HourRow>, counts: (expiry: string) => boolean): Promise<TraceFigures> => {
    const tally = figureTally();
    for await (const { trace, expiry } of found) if (counts(expiry)) tally.add(trace);
    return tally.figures();
  };

  const ofEdge = (project: string, { from, to }: Edge): Promise<TraceFigures> =>
    tallied(rows.between(project, from, to), (expiry) => !isGone(expiry, now()));

  const ofStored = async function* (project: string, range: HourRange, old: HourSet): AsyncGenerator<FiguresOfHour> {
    for await (const { spans, hour, expiry, figures } of stored.between(project, range.touched)) {
      const counts = isWithin(range, hour) ? !old.has(hour, expiry) : beginsIn(range, hour) && isGone(expiry, now());
      const found = spans === hour && counts ? figures() : null;
      if (found !== null) yield { hour, figures: found };
    }
  };

  return async function* (project: string, from: Instant, to: Instant): AsyncGenerator<FiguresOfHour> {
    const range = hourRange(from, to);
    if (range === null) return;
    const old = await pendingHours(pending, project, now());
    const fromRows = [
      ...range.edges.map(async (edge) => ({ hour: edge.hour, figures: await ofEdge(project, edge) })),
      ...old
        .hours()
        .filter((hour) => isWithin(range, hour))
        .map(async (hour) => ({
          hour,
          figures: await tallied(rows.ofHour(project, hour, false), (expiry) => old.has(hour, expiry)),
        })),
    ];
    yield* ascending(await Promise.all(fromRows), ofStored(project, range, old));
  };
};
