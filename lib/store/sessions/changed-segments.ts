import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { segmentHeadKey, rowKeyName, rowKeyOfSort, segmentPrefix, segmentSort } from "./segment-keys.ts";

/** A change of a session: one of its trace rows was added, removed or modified. */
export interface SessionChange {
  readonly project: string;
  /** The session's name in keys (see `sessionName`). */
  readonly name: string;
  /** Sort key of the changed row, as hexadecimal text (see `rowKeyName`). */
  readonly rowKey: string;
}

/** Removes the session segments (stored sums of consecutive rows) with changed rows. */
export type SegmentRemoval = (changes: readonly SessionChange[]) => Promise<void>;

/** Sessions processed at the same time. */
const parallelSessions = 20;

const head = v.object({ pk: v.string(), sk: v.string(), reach: v.string() });
const segmentItem = v.object({ pk: v.string(), sk: v.string(), to: v.instance(Uint8Array) });

/**
 * Returns a function that removes the session segments with changed rows, so that the next reader reads the rows. It
 * may be repeated.
 */
export const changedSegments = (database: Database): SegmentRemoval => {
  const aggregates = itemsOf(database, "aggregates");

  /** Reads the last segment whose first row is the given row or an earlier one; null if there is none. */
  const segmentBefore = async (pk: string, name: string, place: string) => {
    const between = [segmentPrefix(name), segmentSort(name, place)] as const;
    const { items } = await aggregates.page({ pk, between, descending: true, limit: 1 });
    return items[0] === undefined ? null : v.parse(segmentItem, items[0]);
  };

  const removeIn = async (pk: string, name: string, places: readonly string[]): Promise<void> => {
    let pendingPlaces = [...new Set(places)].toSorted();
    for (let last = pendingPlaces.at(-1); last !== undefined; last = pendingPlaces.at(-1)) {
      const segment = await segmentBefore(pk, name, last);
      if (segment === null) return;
      const { sk, to } = segment;
      const [from, end] = [rowKeyName(rowKeyOfSort(sk)), rowKeyName(to)];
      // No segment begins between this one and the last changed row, so a changed row that is not before this segment
      // is in this segment or in none.
      const isIn = pendingPlaces.some((place) => place >= from && place < end);
      if (isIn) await aggregates.remove({ pk, sk });
      pendingPlaces = pendingPlaces.filter((place) => place < from);
    }
  };

  return async (changes) => {
    const bySession = Map.groupBy(changes, ({ project, name }) => JSON.stringify(segmentHeadKey(project, name)));
    const keys = [...bySession.values()].flatMap(([change]) =>
      change === undefined ? [] : [segmentHeadKey(change.project, change.name)],
    );
    const heads = (await batchGet(database, "aggregates", keys)).map((item) => v.parse(head, item));
    await mapConcurrently(heads, parallelSessions, ({ pk, sk: name, reach }) => {
      const places = (bySession.get(JSON.stringify({ pk, sk: name })) ?? []).map(({ rowKey: place }) => place);
      return removeIn(
        pk,
        name,
        places.filter((place) => place < reach),
      );
    });
  };
};
