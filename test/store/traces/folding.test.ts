import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../lib/store/database.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
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
const [broken = ""] = projects;

/** What folds one new thing of each project, some things of one of them, and tells how many each has. */
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
    told: (project: string) => traceCounts(database).total(project),
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
    told: async (project: string) => {
      const parts = await scoreFigures(database, traceScores).read(project, {});
      return parts.reduce((total, { statistics }) => total + statistics.success, 0);
    },
  },
};

const isOf = (project: string, { input }: Call): boolean => JSON.stringify(input["Item"] ?? "").includes(project);

test.each(Object.entries(folds))(
  "%s twenty at a time; what one of them fails at keeps none of the others from it, and counts once when it comes again",
  async (_, { fold, told }) => {
    let [underWay, most, fails] = [0, 0, true];
    const slow = faultyDatabase(
      database,
      async (call) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await wait(2);
        underWay -= 1;
        return fails && call.operation === "PutItem" && isOf(broken, call) ? "server-error" : null;
      },
      1,
    );
    const three = (): readonly number[] => [1, 2, 3];

    await expect(fold(slow, three)).rejects.toMatchObject({ name: "InternalServerError" });
    const first = await Promise.all(projects.map(told));
    fails = false;
    await fold(slow, three);
    await fold(slow, () => [2, 3, 4]);

    expect(most).toBe(20);
    expect(first).toEqual(projects.map((project) => (project === broken ? 0 : 3)));
    expect(new Set(await Promise.all(projects.map(told)))).toEqual(new Set([4]));
  },
);
