import * as v from "valibot";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { openPartition, fairTurnKey } from "./keys.ts";

/** A project with runs that have not ended. */
export interface OpenProject {
  readonly project: string;
  /** Ids of the project's oldest open runs. */
  readonly runs: readonly string[];
}

/**
 * Fair-share turns of projects at judging: the project for which no worker began to work for the longest time is next.
 */
export interface FairTurns {
  /** Reads the projects with the oldest and the newest open runs, from an index that may lag by seconds. */
  openProjects(): Promise<readonly OpenProject[]>;
  /**
   * Reads the times (epoch milliseconds) at which a worker last began to work for each project; absent when no worker
   * did in the last hour.
   */
  lastTurns(projects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Records that a worker begins to work for a project. */
  take(project: string): Promise<void>;
  /**
   * Chooses one worker, at most every 5 seconds, that stops its slice in favour of a waiting project.
   *
   * @returns true if the caller is that worker.
   */
  yieldPlace(project: string): Promise<boolean>;
}

/** Max open runs that are read: this many of the oldest and of the newest. */
const maxRuns = 300;

/** Max projects whose turns are read in one batch request of DynamoDB, which takes 100 items. */
const maxProjects = 99;

/** Max open runs of one project that are searched for a waiting slice. */
const maxRunsOfProject = 3;

/** Min milliseconds between two workers that stop their slices in favour of the same waiting project. */
const yieldMilliseconds = 5_000;

const retentionSeconds = 3_600;

const turnItem = v.object({ pk: v.string(), at: v.optional(v.number(), 0) });

const projectOf = (pk: string): string => pk.slice(0, pk.indexOf("#"));

export const fairTurnStore = (database: Database, now: () => number = Date.now): FairTurns => {
  const runItems = itemsOf(database, "runs");

  const setTime = async (project: string, field: "at" | "room", before: number | null): Promise<boolean> =>
    await succeeds(
      runItems.update(fairTurnKey(project), `SET #${field} = :now, kind = :kind, #ttl = :ttl`, {
        when: before === null ? undefined : `attribute_not_exists(#${field}) OR #${field} <= :before`,
        values: {
          ":now": now(),
          ":kind": "turn",
          ":ttl": Math.ceil(now() / 1000) + retentionSeconds,
          ":before": before,
        },
      }),
    );

  const page = (descending: boolean) =>
    runItems.page({
      index: "open",
      where: "open_key = :open",
      values: { ":open": openPartition },
      descending,
      limit: maxRuns,
    });

  return {
    openProjects: async () => {
      const oldest = await page(false);
      const newest = oldest.next === undefined ? [] : (await page(true)).items;
      const projects = new Map<string, string[]>();
      for (const { pk } of [...oldest.items, ...newest]) {
        const [project = "", , run = ""] = String(pk).split("#");
        const runs = projects.get(project) ?? [];
        if (runs.length < maxRunsOfProject) projects.set(project, [...runs, run]);
      }
      return [...projects].slice(0, maxProjects).map(([project, runs]) => ({ project, runs }));
    },

    lastTurns: async (projects) => {
      const items = await batchGet(database, "runs", projects.map(fairTurnKey));
      return new Map(items.map((item) => v.parse(turnItem, item)).map(({ pk, at }) => [projectOf(pk), at]));
    },

    take: async (project) => {
      await setTime(project, "at", null);
    },

    yieldPlace: (project) => setTime(project, "room", now() - yieldMilliseconds),
  };
};
