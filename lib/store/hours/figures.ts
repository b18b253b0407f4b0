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
import type { Hour } from "../../domain/analytics/bucket.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { isExpiredDay } from "../../dynamo/expiry.ts";
import { partitionIn } from "../traces/keys.ts";
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

  const ofEdge = (project: string, { from, to }: HourEdge, partition: number): Promise<TraceFigures> =>
    tallyRows(rows.between(project, partition, from, to), (expiry) => !isExpiredDay(expiry, now()));

  /**
   * Yields the figures of stored sums, and of what further partitions than the first have of the range's edges: which
   * they are is known from the sums and markers of those hours.
   */
  const ofStored = async function* (project: string, range: HourRange, stale: HourSet): AsyncGenerator<HourFigures> {
    const edges = [...range.edges];
    let partitions = new Set<number>();
    const edgesBefore = async function* (end: Hour | null): AsyncGenerator<HourFigures> {
      for (const edge of edges.splice(0, edges.filter(({ hour }) => end === null || hour < end).length)) {
        for (const partition of new Set([...partitions, ...stale.partitions(edge.hour)]))
          if (partition !== 0) yield { hour: edge.hour, figures: await ofEdge(project, edge, partition) };
        partitions = new Set();
      }
    };

    for await (const { spans, hour, expiry, figures } of stored.between(project, range.firstAndLast)) {
      yield* edgesBefore(spans);
      if (spans === hour && spans === edges[0]?.hour) partitions.add(partitionIn(expiry));
      const isCounted = containsHour(range, hour)
        ? !stale.has(hour, expiry)
        : containsStart(range, hour) && isExpiredDay(expiry, now());
      const hourFigures = spans === hour && isCounted ? figures() : null;
      if (hourFigures !== null) yield { hour, figures: hourFigures };
    }
    yield* edgesBefore(null);
  };

  return async function* (project: string, from: Instant, to: Instant): AsyncGenerator<HourFigures> {
    const range = hourRange(from, to);
    if (range === null) return;
    const stale = await staleHours(pending, project, now());
    const fromRows = [
      ...range.edges.map(async (edge) => ({ hour: edge.hour, figures: await ofEdge(project, edge, 0) })),
      ...stale
        .hours()
        .filter((hour) => containsHour(range, hour))
        .flatMap((hour) => Array.from(stale.partitions(hour), (partition) => ({ hour, partition })))
        .map(async ({ hour, partition }) => ({
          hour,
          figures: await tallyRows(rows.ofHour(project, partition, hour, false), (expiry) => stale.has(hour, expiry)),
        })),
    ];
    yield* mergeByHour(await Promise.all(fromRows), ofStored(project, range, stale));
  };
};
