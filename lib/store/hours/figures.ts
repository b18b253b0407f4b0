import { mergeByHour } from "../../domain/analytics/group-by-bucket.ts";
import {
  containsStart,
  hourRange,
  containsHour,
  type HourEdge,
  type HourRange,
} from "../../domain/analytics/hour-range.ts";
import type { HourFigures } from "../../domain/analytics/trace-analytics.ts";
import { figureTally, type TraceFigures } from "../../domain/analytics/trace-figures.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { isExpiredDay } from "../../dynamo/expiry.ts";
import { hourReader } from "./reader.ts";
import { staleHours, type HourSet } from "./hour-set.ts";
import { hourRows, type HourRow } from "./rows.ts";
import { pendingMarkers } from "./pending-markers.ts";

/**
 * Counts and latencies of the traces that started in a range, ascending by hour. They come from stored sums, and from
 * rows for hours whose sums are stale or that the range cuts. An hour whose rows have expired has only its sums: it
 * counts in the range that contains its start.
 */
export const analyticsFigures = (database: Database, now: () => number = Date.now) => {
  const [rows, stored, pending] = [hourRows(database), hourReader(database), pendingMarkers(database, "hours")];

  const tallyRows = async (
    hourRows: AsyncIterable<HourRow>,
    isCounted: (expiry: string) => boolean,
  ): Promise<TraceFigures> => {
    const tally = figureTally();
    for await (const { trace, expiry } of hourRows) if (isCounted(expiry)) tally.add(trace);
    return tally.figures();
  };

  const ofEdge = (project: string, { from, to }: HourEdge): Promise<TraceFigures> =>
    tallyRows(rows.between(project, from, to), (expiry) => !isExpiredDay(expiry, now()));

  const ofStored = async function* (project: string, range: HourRange, stale: HourSet): AsyncGenerator<HourFigures> {
    for await (const { spans, hour, expiry, figures } of stored.between(project, range.firstAndLast)) {
      const isCounted = containsHour(range, hour)
        ? !stale.has(hour, expiry)
        : containsStart(range, hour) && isExpiredDay(expiry, now());
      const hourFigures = spans === hour && isCounted ? figures() : null;
      if (hourFigures !== null) yield { hour, figures: hourFigures };
    }
  };

  return async function* (project: string, from: Instant, to: Instant): AsyncGenerator<HourFigures> {
    const range = hourRange(from, to);
    if (range === null) return;
    const stale = await staleHours(pending, project, now());
    const fromRows = [
      ...range.edges.map(async (edge) => ({ hour: edge.hour, figures: await ofEdge(project, edge) })),
      ...stale
        .hours()
        .filter((hour) => containsHour(range, hour))
        .map(async (hour) => ({
          hour,
          figures: await tallyRows(rows.ofHour(project, hour, false), (expiry) => stale.has(hour, expiry)),
        })),
    ];
    yield* mergeByHour(await Promise.all(fromRows), ofStored(project, range, stale));
  };
};
