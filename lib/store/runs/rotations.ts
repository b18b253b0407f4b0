import * as v from "valibot";
import { epochOf, instantAt } from "../../domain/instant.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { fairTurnStore, type FairTurns, type Place, placesOf, type RotationSettings } from "./fair-turns.ts";
import { allOrganizations, fairTurnKey, placeKeys, rotationOf, turnPartition } from "./keys.ts";

/** Rotations of fair-share turns, with the places that runs have in them. */
export interface Rotations extends FairTurns {
  /**
   * Makes a run with a free slice due, and its project and organization: together with the first place of their rotations,
   * unless they had a turn since that one had its last. Idempotent.
   */
  enter(project: string, run: string): Promise<void>;
  /** Removes the place of a run that has ended, and those of its project and organization without other open runs. Idempotent. */
  leave(project: string, run: string): Promise<void>;
}

/** Seconds in which a place expires that nothing has removed; the sweeper stores that of an open run again. */
const retentionSeconds = 7 * 86_400;

/** Seconds for which the last turn of a project or organization without open runs is kept. */
const memorySeconds = 3_600;

const storedPlace = v.object({
  pk: v.string(),
  sk: v.string(),
  due_at: v.optional(v.string()),
  /** Last turn, epoch milliseconds. */
  at: v.optional(v.number(), 0),
  entries: v.optional(v.number(), 0),
});

/**
 * Creates the store of rotations.
 *
 * @param organizationOf returns the organization of a project; null when the project does not exist.
 */
export const rotationStore = (
  database: Database,
  organizationOf: (project: string) => Promise<string | null>,
  settings: RotationSettings = {},
): Rotations => {
  const { now = Date.now, rotation: firstRotation = allOrganizations } = settings;
  const runItems = itemsOf(database, "runs");

  const expiry = (seconds: number): number => Math.ceil(now() / 1000) + seconds;

  /** Removes a place that has no places below it. @returns false when it has, or gets one at the same time. */
  const removeEmpty = async (key: Place["key"], owner: string, prefix: string): Promise<boolean> => {
    const item = await runItems.get(key);
    if (item === undefined) return true;
    // Read after the place: whatever enters later changes the number of entries.
    const { items } = await runItems.page({ pk: turnPartition(owner), prefix, limit: 1 });
    if (items.length > 0) return false;
    const { at, entries } = v.parse(storedPlace, item);
    if (at > 0)
      await runItems.update(fairTurnKey(owner), "SET #at = :at, kind = :kind, #ttl = :ttl", {
        values: { ":at": at, ":kind": "turn", ":ttl": expiry(memorySeconds) },
      });
    return await succeeds(runItems.remove(key, { when: "entries = :entries", values: { ":entries": entries } }));
  };

  return {
    ...fairTurnStore(database, settings),

    enter: async (project, run) => {
      const organization = await organizationOf(project);
      if (organization === null) return;
      const levels = [
        { key: placeKeys.run(project, run), rotation: rotationOf(project), memory: null },
        {
          key: placeKeys.project(organization, project),
          rotation: rotationOf(organization),
          memory: fairTurnKey(project),
        },
        { key: placeKeys.organization(organization), rotation: firstRotation, memory: fairTurnKey(organization) },
      ];
      const keys = levels.flatMap(({ key, memory }) => (memory === null ? [key] : [key, memory]));
      const items = (await batchGet(database, "runs", keys)).map((item) => v.parse(storedPlace, item));
      const stored = (key: Place["key"] | null) => items.find(({ pk, sk }) => pk === key?.pk && sk === key.sk);
      let isNewBelow = false;
      for (const { key, rotation, memory } of levels) {
        const place = stored(key);
        const isDue = place?.due_at !== undefined && epochOf(place.due_at) <= now();
        if (isDue && !isNewBelow) continue;
        const [first] = isDue ? [] : await placesOf(database, rotation, 1);
        const lastTurn = place?.at ?? stored(memory)?.at ?? 0;
        const dueAt = Math.min(now(), Math.max(first?.dueAt ?? now(), lastTurn));
        const position = isDue ? "if_not_exists(due_at, :due)" : ":due";
        await runItems.update(
          key,
          `SET kind = :kind, organization = :organization, due_key = :rotation, due_at = ${position}, #ttl = :ttl ADD entries :one`,
          {
            values: {
              ":kind": "turn",
              ":rotation": rotation,
              ":organization": organization,
              ":due": instantAt(dueAt),
              ":ttl": expiry(retentionSeconds),
              ":one": 1,
            },
          },
        );
        isNewBelow ||= place === undefined;
      }
    },

    leave: async (project, run) => {
      await runItems.remove(placeKeys.run(project, run));
      const organization = await organizationOf(project);
      if (organization === null) return;
      if (await removeEmpty(placeKeys.project(organization, project), project, "run#"))
        await removeEmpty(placeKeys.organization(organization), organization, "project#");
    },
  };
};
