import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ceilings } from "../../../lib/domain/runs/budget.ts";
import { publishCeilingUsage } from "../../../lib/evaluation/slices/ceiling-usage.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { publishedLines } from "../../support/published-lines.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

let months = 0;

/** A project in a month of its own, whose slices make one reservation each. */
const setUp = (ceilings: Partial<Ceilings>) => {
  const at = Date.UTC(2027, ++months, 21);
  const [project, run] = [randomUUID(), randomUUID()];
  const spend = spendStore(database, () => at, Math.random, publishCeilingUsage);
  let slices = 0;
  const reserve = (amount: number) =>
    publishedLines(() =>
      spend.reserve({
        project,
        run,
        slice: `a#${++slices}`,
        epoch: 1,
        spent: 0,
        maxUsd: amount,
        minUsd: 0.1,
        ceilings: { run: null, project: null, organization: null, deployment: null, ...ceilings },
      }),
    );
  return { project, reserve };
};

test("the used share of each monthly ceiling is published with every reservation", async () => {
  const { project, reserve } = setUp({ project: 1, organization: null, deployment: 4 });
  await reserve(0.9);

  const { lines, result } = await reserve(0.1);

  expect(await result).toMatchObject({ kind: "granted" });
  expect(lines).toMatchObject([
    { event: "ceiling_looked_at", ceiling: "project", project_id: project, CeilingUsed: expect.closeTo(90) },
    { event: "ceiling_looked_at", ceiling: "deployment", CeilingUsed: expect.closeTo(22.5) },
  ]);
  expect(lines[1]).not.toHaveProperty("project_id");
});

test("an exhausted ceiling is published by the slice that has to wait", async () => {
  const { reserve } = setUp({ organization: null, deployment: 1 });
  await reserve(1);

  const { lines, result } = await reserve(0.1);

  expect(await result).toMatchObject({ kind: "wait", ceiling: "deployment" });
  expect(lines).toMatchObject([{ CeilingUsed: expect.closeTo(100) }]);
});

test("the usage of a run's own cost limit is not published", async () => {
  expect((await setUp({ run: 0.2 }).reserve(0.2)).lines).toEqual([]);
});
