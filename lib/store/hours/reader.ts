import * as v from "valibot";
import type { Hour } from "../../domain/analytics/bucket.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Query } from "../../dynamo/items.ts";
import { unpackFigures, unpackModelUsage, type HourlyUsage } from "./codec.ts";
import { farPrefix, hoursPartition, parseHourSort, type HourKey } from "./keys.ts";
import type { TraceFigures } from "../../domain/analytics/trace-figures.ts";

/**
 * An item of an hour's rollup: usage of its traces in one hour of spans; the main item also has the figures of the
 * traces.
 */
export interface HourItem extends Omit<HourKey, "project"> {
  readonly spans: Hour;
  readonly figures: () => TraceFigures | null;
  /** Returns null when the usage was too large to be stored: it must be read from the rows. */
  readonly usage: () => HourlyUsage | null;
}

const bytes = v.optional(v.instance(Uint8Array));
const hourItem = v.object({ sk: v.string(), t: bytes, u: bytes });

/** Reads the stored rollups of a project, by the hour of the spans. */
export const hourReader = (database: Database) => {
  const read = async function* (query: Query): AsyncGenerator<HourItem> {
    for await (const item of itemsOf(database, "aggregates").query({ ...query, strongly: false })) {
      const { sk, t, u } = v.parse(hourItem, item);
      yield {
        ...parseHourSort(sk),
        figures: () => (t === undefined ? null : unpackFigures(t)),
        usage: () => (u === undefined ? null : unpackModelUsage(u)),
      };
    }
  };

  return {
    /** Yields the items with usage in a range of hours, ascending. */
    between: (project: string, [first, last]: readonly [Hour, Hour]): AsyncGenerator<HourItem> =>
      // "$" sorts after the "#" that follows an hour.
      read({ pk: hoursPartition(project), between: [first, `${last}$`] }),
    /**
     * Yields the items with usage in far hours: hours of spans far from their trace's start, which are too many for an
     * item each.
     */
    far: (project: string): AsyncGenerator<HourItem> => read({ pk: hoursPartition(project), prefix: farPrefix }),
  };
};
