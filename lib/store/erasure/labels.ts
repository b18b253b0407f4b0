import { mapConcurrently } from "../../async/concurrency.ts";
import { labelsAt, withoutLabels } from "../../domain/labels/queue.ts";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems, keyPages, type Erase } from "../../dynamo/erase-items.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import type { ErasedTraces } from "./erased-traces.ts";
import { packChunk, unpackChunk } from "../labels/codec.ts";
import { chunkKey, chunkSize, labelsBetween, labelSetPartition, labelSetsOf, placeOfSet } from "../labels/keys.ts";
import { labelSetStore } from "../labels/sets.ts";

/** Stands for the erased trace of an item, which stays: the ids of the others follow from their places. */
const noTrace = "00000000-0000-0000-0000-000000000000";

/** Places whose labels are read at the same time. */
const parallel = 10;

/** Removes the labels about erased traces, the traces from the items of label sets, and what was computed with the labels. */
export const eraseLabelsOfUser = (database: Database, erased: ErasedTraces): Erase => {
  const [stored, sets] = [itemsOf(database, "monitors"), labelSetStore(database)];

  const labelsOf = async (project: string, set: string, places: readonly number[]) =>
    (await mapConcurrently(places, parallel, (place) => sets.labels(project, set, place, place + 1))).flatMap(
      (labels) => [...labels.values()].flat(),
    );

  /** Closes places of a set for all people, so that no label is stored any more. */
  const closePlaces = (project: string, set: string, places: readonly number[]) =>
    sets.change(project, set, async ({ state }) => {
      // Labels of a place that an earlier call has closed are not counted any more.
      const labelled = places.filter((place) => labelsAt(state.queue, place) > 0);
      const cannotTell = (await labelsOf(project, set, labelled)).reduce(
        (sum, each) => sum + each.cannotTell.length,
        0,
      );
      const queue = withoutLabels(state.queue, places);
      return { result: null, state: { ...state, queue, cannotTellCount: state.cannotTellCount - cannotTell } };
    });

  /** Removes the labels of closed places, and the trust results of their set. @returns the number of labels. */
  const removeLabels = async (project: string, set: string, places: readonly number[]): Promise<number> => {
    const keys = await mapConcurrently(places, parallel, (place) =>
      stored.list({ ...labelsBetween(project, set, place, place + 1), attributes: "pk, sk" }),
    );
    for await (const items of keyPages(database, "monitors", labelSetPartition(project, set))) {
      const results = items.filter(({ sk }) => String(sk).startsWith("trust#"));
      await eraseItems(database, "monitors", results);
    }
    return await eraseItems(database, "monitors", keys.flat());
  };

  return async function* (project) {
    for (const { pk, sk } of await stored.list({ ...labelSetsOf(project), attributes: "pk, sk" })) {
      const { set } = placeOfSet({ pk: String(pk), sk: String(sk) });
      for (let chunk = 0; ; chunk += 1) {
        const key = chunkKey(project, set, chunk);
        const chunkItem = await stored.get(key);
        if (chunkItem === undefined) break;
        const items = unpackChunk(chunkItem);
        const traces = await erased.among(items.map(({ traceId }) => traceId));
        const places = items.flatMap(({ traceId }, at) => (traces.has(traceId) ? [chunk * chunkSize + at] : []));
        if (places.length === 0) continue;
        await closePlaces(project, set, places);
        const removed = places.length + (await removeLabels(project, set, places));
        const kept = items.map(({ traceId, version, incarnation }) => {
          return { traceId: traces.has(traceId) ? noTrace : traceId, version, incarnation };
        });
        // Last, since the places are found by it.
        const change = { when: "attribute_exists(pk)", values: { ":d": packChunk(kept).d } };
        await ifConditionHolds(stored.update(key, "SET d = :d", change));
        yield removed;
      }
    }
  };
};
