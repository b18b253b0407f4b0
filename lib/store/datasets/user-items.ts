import * as v from "valibot";
import type { ItemRevision } from "../../domain/datasets/dataset.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { unpackRevision } from "./codec.ts";
import { datasetOfKey, datasetsOf, itemPartitions, revisionQuery } from "./keys.ts";

/** Revisions of a dataset's items which were made of a user's traces, of one page of a partition. */
interface UserItems {
  readonly dataset: string;
  readonly revisions: readonly ItemRevision[];
  /** Place after the page, at which another walk can begin. */
  readonly place: string;
}

/** Partition and sort key of a revision, as a place. */
const placeTuple = v.fallback(v.pipe(v.string(), v.parseJson(), v.tuple([v.string(), v.string()])), ["", ""]);

/**
 * Returns a function that walks through the revisions of all items of a project, deleted ones included, and yields those made of a user's
 * traces for each page of at most 1 MB: by the user that an item names, or by its trace as long as `ofUser` knows that.
 *
 * @param ofUser returns those of some trace ids that are of the user.
 * @param place place at which an earlier walk ended; null to begin with the first revision.
 */
export const userItems = (database: Database) => {
  const stored = itemsOf(database, "monitors");

  return async function* (
    project: string,
    pseudonym: string,
    ofUser: (traceIds: readonly string[]) => Promise<ReadonlySet<string>>,
    place: string | null,
  ): AsyncGenerator<UserItems> {
    const [firstPartition, firstKey] = v.parse(placeTuple, place);
    const datasets = (await stored.list({ ...datasetsOf(project), attributes: "sk" })).map(datasetOfKey);
    const partitions = datasets.flatMap((dataset) => itemPartitions(project, dataset).map((pk) => ({ dataset, pk })));
    for (const { dataset, pk } of partitions.toSorted((a, b) => (a.pk < b.pk ? -1 : 1))) {
      if (pk < firstPartition) continue;
      for await (const { items } of stored.pages(revisionQuery(pk, pk === firstPartition ? firstKey : ""))) {
        const revisions = items.map(({ d }) => unpackRevision(d));
        const traces = await ofUser([...new Set(revisions.flatMap(({ source }) => source?.traceId ?? []))]);
        const matching = revisions.filter(
          ({ sourceUser, source }) => sourceUser === pseudonym || traces.has(source?.traceId ?? ""),
        );
        const last = items.at(-1);
        if (last !== undefined) yield { dataset, revisions: matching, place: JSON.stringify([pk, last["sk"]]) };
      }
    }
  };
};
