import { DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { sideBySide } from "../../async/side-by-side.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { headKey, placeName, placeOfSort, segmentPrefix, segmentSort } from "./segment-keys.ts";

/** A row of a session has come, gone or changed. */
export interface SessionChange {
  readonly project: string;
  /** See `sessionName`. */
  readonly name: string;
  /** Of the row. See `placeName`. */
  readonly place: string;
}

export type SegmentRemoval = (changes: readonly SessionChange[]) => Promise<void>;

/** Sessions looked at at a time. */
const width = 20;

const head = v.object({ pk: v.string(), sk: v.string(), reach: v.string() });
const found = v.object({ pk: v.string(), sk: v.string(), to: v.instance(Uint8Array) });

/** Removes the segments that rows have changed in: the next reader goes to the rows. May be repeated. */
export const changedSegments = (database: Database): SegmentRemoval => {
  const { client, table } = database;
  const TableName = table("aggregates");

  /** The last segment that begins at a place or before it. */
  const segmentBefore = async (pk: string, name: string, place: string) => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
        ExpressionAttributeValues: {
          ":pk": pk,
          ":first": segmentPrefix(name),
          ":last": segmentSort(name, place),
        },
        ScanIndexForward: false,
        Limit: 1,
        ConsistentRead: true,
      }),
    );
    return Items[0] === undefined ? null : v.parse(found, Items[0]);
  };

  const removeIn = async (pk: string, name: string, places: readonly string[]): Promise<void> => {
    let left = [...new Set(places)].toSorted();
    for (let last = left.at(-1); last !== undefined; last = left.at(-1)) {
      const segment = await segmentBefore(pk, name, last);
      if (segment === null) return;
      const { sk, to } = segment;
      const [from, end] = [placeName(placeOfSort(sk)), placeName(to)];
      // Nothing begins between this segment and the last place: whatever is not before it is in it or in none.
      const isIn = left.some((place) => place >= from && place < end);
      if (isIn) await client.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
      left = left.filter((place) => place < from);
    }
  };

  return async (changes) => {
    const bySession = Map.groupBy(changes, ({ project, name }) => JSON.stringify(headKey(project, name)));
    const keys = [...bySession.values()].flatMap(([change]) =>
      change === undefined ? [] : [headKey(change.project, change.name)],
    );
    const heads = (await batchGet(database, "aggregates", keys)).map((item) => v.parse(head, item));
    await sideBySide(heads, width, ({ pk, sk: name, reach }) => {
      const places = (bySession.get(JSON.stringify({ pk, sk: name })) ?? []).map(({ place }) => place);
      return removeIn(
        pk,
        name,
        places.filter((place) => place < reach),
      );
    });
  };
};
