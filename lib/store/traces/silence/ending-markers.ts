import * as v from "valibot";
import { instantAt } from "../../../domain/instant.ts";
import type { Database } from "../../../dynamo/database.ts";
import { itemsOf } from "../../../dynamo/items.ts";

/** Marker of a trace whose end by silence has to be decided. */
export interface EndingMarker {
  readonly sk: string;
  readonly project: string;
  readonly trace: string;
}

/** Markers of traces that await their end by silence, in one partition, by the minute in which they are due. */
export interface EndingMarkers {
  /** Marks a trace. @param due epoch milliseconds. */
  mark(project: string, trace: string, due: number): Promise<void>;
  /** Lists the markers that are due, those of earlier minutes first. @param now epoch milliseconds; absent: all. */
  due(now?: number): AsyncGenerator<EndingMarker>;
  clear(marker: EndingMarker): Promise<void>;
}

/** Partition of the markers of all projects; the project is in the sort key, after the minute. */
const pk = "pending#endings";

const minute = 60_000;

const minuteLength = 16;

const minuteAt = (milliseconds: number): string => instantAt(milliseconds).slice(0, minuteLength);

const item = v.object({ sk: v.string() });

export const endingMarkers = (database: Database): EndingMarkers => {
  const aggregates = itemsOf(database, "aggregates");
  return {
    mark: async (project, trace, due) => {
      await aggregates.put({ pk, sk: `${minuteAt(Math.ceil(due / minute) * minute)}#${project}#${trace}` });
    },
    due: async function* (now) {
      // The `$` comes after the `#` of the minute, and `:` after all digits.
      const values = { ":pk": pk, ":after": now === undefined ? ":" : `${minuteAt(now)}$` };
      const where = "pk = :pk AND sk < :after";
      for await (const each of aggregates.query({ where, values, strongly: false })) {
        const { sk } = v.parse(item, each);
        const [project = "", trace = ""] = sk.slice(minuteLength + 1).split("#");
        yield { sk, project, trace };
      }
    },
    clear: async ({ sk }) => {
      await aggregates.remove({ pk, sk });
    },
  };
};
