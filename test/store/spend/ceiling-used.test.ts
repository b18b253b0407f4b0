import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ceilings } from "../../../lib/domain/runs/spend.ts";
import { noteCeilingUsed } from "../../../lib/evaluation/slices/ceiling-used.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { publishedLines } from "../../support/published-lines.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

let months = 0;

/** A project in a month of its own, whose slices reserve one after the other. */
const world = (ceilings: Partial<Ceilings>) => {
  const at = Date.UTC(2027, ++months, 21);
  const [project, run] = [randomUUID(), randomUUID()];
  const spend = spendStore(database, () => at, Math.random, noteCeilingUsed);
  let slices = 0;
  const reserve = (want: number) =>
    publishedLines(() =>
      spend.reserve({
        project,
        run,
        slice: `a#${++slices}`,
        epoch: 1,
        spent: 0,
        want,
        least: 0.1,
        ceilings: { run: null, project: null, organization: null, deployment: null, ...ceilings },
      }),
    );
  return { project, reserve };
};

test("what is used of the ceilings of a month is published each time that they are looked at", async () => {
  const { project, reserve } = world({ project: 1, organization: null, deployment: 4 });
  await reserve(0.9);

  const { lines, result } = await reserve(0.1);

  expect(await result).toMatchObject({ kind: "granted" });
  expect(lines).toMatchObject([
    { event: "ceiling_looked_at", ceiling: "project", project_id: project, CeilingUsed: expect.closeTo(90) },
    { event: "ceiling_looked_at", ceiling: "deployment", CeilingUsed: expect.closeTo(22.5) },
  ]);
  expect(lines[1]).not.toHaveProperty("project_id");
});

test("a ceiling that is reached is published by the slice that has to wait for it", async () => {
  const { reserve } = world({ organization: null, deployment: 1 });
  await reserve(1);

  const { lines, result } = await reserve(0.1);

  expect(await result).toMatchObject({ kind: "wait", ceiling: "deployment" });
  expect(lines).toMatchObject([{ CeilingUsed: expect.closeTo(100) }]);
});

test("a run's own ceiling is its owner's affair", async () => {
  expect((await world({ run: 0.2 }).reserve(0.2)).lines).toEqual([]);
});
