import { randomUUID } from "node:crypto";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";

/** Marker of changed data from which computed data must be updated. */
export interface PendingMarker {
  readonly project: string;
  /** Name of the changed object within the project, such as an hour or a document. */
  readonly name: string;
  /** Random token that is replaced with every change. */
  readonly token: string;
}

/** Store of markers of changed data from which computed data must be updated. */
export interface PendingMarkers {
  mark(project: string, name: string): Promise<void>;
  /** Lists the markers of a project, or of all projects. */
  list(project?: string): AsyncGenerator<PendingMarker>;
  /** Reads up to `limit` markers of all projects after a sort key (see `markerSortKey`), in the order of that key. */
  listAfter(position: string, limit: number): Promise<readonly PendingMarker[]>;
  /** Deletes a marker unless the object has changed again since it was read. */
  clear(mark: PendingMarker): Promise<void>;
}

const item = v.object({ sk: v.string(), token: v.string() });

/** Parses the markers among items. Malformed items are skipped, so that they block no update. */
const markersIn = (items: readonly unknown[]): readonly PendingMarker[] =>
  items
    .filter((value) => v.is(item, value))
    .map(({ sk, token }) => {
      const cut = sk.indexOf("#");
      return { project: sk.slice(0, cut), name: sk.slice(cut + 1), token };
    });

/** Returns the sort key of a pending marker: by project, then by the name of the changed object. */
export const markerSortKey = ({ project, name }: Pick<PendingMarker, "project" | "name">): string =>
  `${project}#${name}`;

/**
 * Returns a sort key after all markers of a project and before those of the next project; before all markers if the
 * project is "". DynamoDB cannot compare a key with an empty string.
 */
export const sortKeyAfterProject = (project: string): string => `${project}$`;

/** Kinds of pending updates. */
export const pendingKinds = ["hours", "documents", "removals", "repricings"] as const;
type PendingKind = (typeof pendingKinds)[number];

/**
 * Stores markers of pending updates.
 *
 * @param kind kind of the updates: each kind has a partition of its own, which contains only pending updates.
 */
export const pendingMarkers = (database: Database, kind: PendingKind): PendingMarkers => {
  const aggregates = itemsOf(database, "aggregates");
  const pk = `pending#${kind}`;
  return {
    mark: async (project, name) => {
      await aggregates.put({ pk, sk: markerSortKey({ project, name }), token: randomUUID() });
    },
    list: async function* (project = "") {
      const prefix = project === "" ? undefined : `${project}#`;
      for await (const { items } of aggregates.pages({ pk, prefix, strongly: false })) yield* markersIn(items);
    },
    listAfter: async (start, limit) => {
      const markers: PendingMarker[] = [];
      for (let position = start; ;) {
        const values = { ":pk": pk, ":place": position };
        const { items } = await aggregates.page({ where: "pk = :pk AND sk > :place", values, limit, strongly: false });
        markers.push(...markersIn(items));
        const last = items.at(-1);
        if (last === undefined || items.length < limit || markers.length >= limit) return markers.slice(0, limit);
        position = String(last["sk"]);
      }
    },
    clear: async ({ token, ...mark }) => {
      await ifConditionHolds(
        aggregates.remove({ pk, sk: markerSortKey(mark) }, { when: "#token = :token", values: { ":token": token } }),
      );
    },
  };
};
