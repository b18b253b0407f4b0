import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import { openPartition, turnKey } from "./keys.ts";

/** A project with runs that have not ended. */
export interface OpenProject {
  readonly project: string;
  /** Its oldest open runs. */
  readonly runs: readonly string[];
}

/** Who is judged for, and since when: the projects take turns by it. */
export interface Turns {
  /** The projects with the oldest open runs and with the newest, as an index has them that may lag by seconds. */
  open(): Promise<readonly OpenProject[]>;
  /** When a worker last began to work for each, epoch milliseconds; absent: not lately. */
  taken(projects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Notes that a worker begins to work for a project. */
  take(project: string): Promise<void>;
  /** Makes one of all workers that see a project wait give its place up. @returns whether it is this one. */
  makeRoom(project: string): Promise<boolean>;
}

/** Open runs that are looked at, the oldest and the newest: so many of each. */
const mostRuns = 300;

/** A request of DynamoDB reads so many items. */
const mostProjects = 99;

/** Open runs of one project among which a slice is looked for. */
const runsOfProject = 3;

/** Milliseconds between two workers that give up their places for one project. */
const roomMilliseconds = 5_000;

const keptSeconds = 3_600;

const turn = v.object({ pk: v.string(), at: v.optional(v.number(), 0) });

const projectOf = (pk: string): string => pk.slice(0, pk.indexOf("#"));

export const turnStore = (database: Database, now: () => number = Date.now): Turns => {
  const { client, table } = database;
  const TableName = table("runs");

  const set = async (project: string, field: "at" | "room", before: number | null): Promise<boolean> =>
    await succeeds(
      client.send(
        new UpdateCommand({
          TableName,
          Key: turnKey(project),
          UpdateExpression: "SET #field = :now, kind = :kind, #ttl = :ttl",
          ...(before !== null && { ConditionExpression: "attribute_not_exists(#field) OR #field <= :before" }),
          ExpressionAttributeNames: { "#field": field, "#ttl": "ttl" },
          ExpressionAttributeValues: {
            ":now": now(),
            ":kind": "turn",
            ":ttl": Math.ceil(now() / 1000) + keptSeconds,
            ...(before !== null && { ":before": before }),
          },
        }),
      ),
    );

  const page = async (oldestFirst: boolean) => {
    const { Items: items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: "open",
        KeyConditionExpression: "open_key = :open",
        ExpressionAttributeValues: { ":open": openPartition },
        ScanIndexForward: oldestFirst,
        Limit: mostRuns,
      }),
    );
    return { items, isAll: LastEvaluatedKey === undefined };
  };

  return {
    open: async () => {
      const oldest = await page(true);
      const newest = oldest.isAll ? [] : (await page(false)).items;
      const projects = new Map<string, string[]>();
      for (const { pk } of [...oldest.items, ...newest]) {
        const [project = "", , run = ""] = String(pk).split("#");
        const runs = projects.get(project) ?? [];
        if (runs.length < runsOfProject) projects.set(project, [...runs, run]);
      }
      return [...projects].slice(0, mostProjects).map(([project, runs]) => ({ project, runs }));
    },

    taken: async (projects) => {
      const items = await batchGet(database, "runs", projects.map(turnKey));
      return new Map(items.map((item) => v.parse(turn, item)).map(({ pk, at }) => [projectOf(pk), at]));
    },

    take: async (project) => {
      await set(project, "at", null);
    },

    makeRoom: (project) => set(project, "room", now() - roomMilliseconds),
  };
};
