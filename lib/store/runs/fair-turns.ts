import * as v from "valibot";
import { epochOf, instantAt } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import { allOrganizations, placeKeys, rotationOf } from "./keys.ts";

/** A place in a rotation: of an organization among all, of a project in its organization, or of a run in its project. */
export interface Place {
  /** Id of the organization, project or run. */
  readonly id: string;
  readonly key: { readonly pk: string; readonly sk: string };
  /**
   * Instant from which the place is due, epoch milliseconds: its last turn, or later if it has no slice to work on
   * before.
   */
  readonly dueAt: number;
}

/**
 * Rotations of what has open runs: of all organizations, of the projects of each, and of the runs of each project. The
 * first place is next. A rotation is a partition of the sparse index `due`, so that a turn costs the same however many
 * runs are open. Places decide who is next, never what is done: without its place a slice is judged in the order of the
 * queue.
 */
export interface FairTurns {
  /** Returns the organization of a run; null when the run has no place. */
  organizationOf(project: string, run: string): Promise<string | null>;
  /** Returns the first 25 organizations with open runs; eventually consistent, as the other rotations. */
  organizations(): Promise<readonly Place[]>;
  projects(organization: string): Promise<readonly Place[]>;
  runs(project: string): Promise<readonly Place[]>;
  /** Moves a place to the end of its rotation, for a worker that begins a turn. @returns null when another worker was first. */
  take(place: Place): Promise<Place | null>;
  /** Makes a place due at an instant in the future, epoch milliseconds. @returns null when another worker was first. */
  postpone(place: Place, until: number): Promise<Place | null>;
  /**
   * Chooses one worker, at most every 5 seconds, that stops its slice in favour of a waiting place.
   *
   * @returns true if the caller is that worker.
   */
  yieldPlace(place: Place): Promise<boolean>;
}

/** Places that are read of a rotation: more than workers choose at the same time, and below 4 KB, half a read unit. */
const pageSize = 25;

/** Min milliseconds between two workers that stop their slices in favour of the same waiting place. */
const yieldMilliseconds = 5_000;

const indexedPlace = v.object({ pk: v.string(), sk: v.string(), due_at: v.string() });

const placeOwner = v.object({ organization: v.string() });

const placeOf = (item: Item): Place => {
  const { pk, sk, due_at } = v.parse(indexedPlace, item);
  const owner = sk.includes("#") ? sk : pk;
  const id = sk.includes("#") ? owner.slice(owner.indexOf("#") + 1) : owner.slice(0, owner.indexOf("#"));
  return { id, key: { pk, sk }, dueAt: epochOf(due_at) };
};

export interface RotationSettings {
  readonly now?: () => number;
  /** Name of the rotation of organizations. */
  readonly rotation?: string;
}

/** Returns the first places of a rotation; eventually consistent. */
export const placesOf = async (
  database: Database,
  rotation: string,
  limit: number = pageSize,
): Promise<readonly Place[]> => {
  const values = { ":rotation": rotation };
  const query = { index: "due", where: "due_key = :rotation", values, limit };
  const { items } = await itemsOf(database, "runs").page(query);
  return items.map(placeOf);
};

export const fairTurnStore = (
  database: Database,
  { now = Date.now, rotation = allOrganizations }: RotationSettings = {},
): FairTurns => {
  const runItems = itemsOf(database, "runs");

  /** Changes a place unless another worker has moved it. */
  const move = async (place: Place, dueAt: number, change = ""): Promise<Place | null> => {
    const values = { ":due": instantAt(dueAt), ":seen": instantAt(place.dueAt), ":now": now() };
    const isMoved = await succeeds(
      runItems.update(place.key, `SET due_at = :due${change}`, { when: "due_at = :seen", values }),
    );
    return isMoved ? { ...place, dueAt } : null;
  };

  return {
    organizationOf: async (project, run) => {
      const item = await runItems.get(placeKeys.run(project, run));
      return item === undefined ? null : v.parse(placeOwner, item).organization;
    },

    organizations: () => placesOf(database, rotation),
    projects: (organization) => placesOf(database, rotationOf(organization)),
    runs: (project) => placesOf(database, rotationOf(project)),
    take: (place) => move(place, now(), ", #at = :now"),
    postpone: (place, until) => move(place, until),

    yieldPlace: ({ key }) =>
      succeeds(
        runItems.update(key, "SET #room = :now", {
          when: "attribute_exists(due_at) AND (attribute_not_exists(#room) OR #room <= :before)",
          values: { ":now": now(), ":before": now() - yieldMilliseconds },
        }),
      ),
  };
};
