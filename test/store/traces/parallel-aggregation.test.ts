import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../lib/dynamo/database.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreStatistics } from "../../../lib/store/scores/statistics.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Call } from "../../support/faults/fault-kind.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const projects = Array.from({ length: 50 }, () => randomUUID());
const [failingProject = ""] = projects;

/** Aggregations that are fed with numbered changes of 50 projects, and a function that reads a project's total. */
const folds = {
  "traces into counters": {
    fold: (on: Database, sequences: (project: string) => readonly number[]) =>
      traceCounts(on).fold(
        "shard",
        projects.flatMap((project) =>
          sequences(project).map(
            (sequence) => ({ project, expiry: "-", change: 1, sequence: BigInt(sequence) }) as const,
          ),
        ),
      ),
    readTotal: (project: string) => traceCounts(database).total(project),
  },
  "scores into statistics": {
    fold: (on: Database, sequences: (project: string) => readonly number[]) =>
      scoreStatistics(on).fold(
        "shard",
        projects.flatMap((project) =>
          sequences(project).map((sequence) => {
            const order = `2026-11-21T09:00:00+00:00#${sequence}`;
            const after = { name: "helpful", status: "SUCCESS", value: 1, order } as const;
            return {
              project,
              target: "trace",
              session: null,
              before: null,
              after,
              sequence: BigInt(sequence),
            } as const;
          }),
        ),
      ),
    readTotal: async (project: string) => {
      const parts = await scoreFigures(database, traceScoreKind).read(project, {});
      return parts.reduce((total, { statistics }) => total + statistics.success, 0);
    },
  },
};

const isOf = (project: string, { input }: Call): boolean => JSON.stringify(input["Item"] ?? "").includes(project);

test.each(Object.entries(folds))(
  "%s in parallel, twenty at a time; a failure in one project affects no other, and its retry counts once",
  async (_, { fold, readTotal }) => {
    let [parallelPuts, maxParallelPuts, fails] = [0, 0, true];
    const slow = faultyDatabase(
      database,
      async (call) => {
        parallelPuts += 1;
        maxParallelPuts = Math.max(maxParallelPuts, parallelPuts);
        await wait(2);
        parallelPuts -= 1;
        return fails && call.operation === "PutItem" && isOf(failingProject, call) ? "server-error" : null;
      },
      1,
    );
    const three = (): readonly number[] => [1, 2, 3];

    await expect(fold(slow, three)).rejects.toMatchObject({ name: "InternalServerError" });
    const first = await Promise.all(projects.map(readTotal));
    fails = false;
    await fold(slow, three);
    await fold(slow, () => [2, 3, 4]);

    expect(maxParallelPuts).toBe(20);
    expect(first).toEqual(projects.map((project) => (project === failingProject ? 0 : 3)));
    expect(new Set(await Promise.all(projects.map(readTotal)))).toEqual(new Set([4]));
  },
);
