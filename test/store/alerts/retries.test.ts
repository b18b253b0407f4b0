import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runStart } from "../../../lib/evaluation/start/start-run.ts";
import { startRetry } from "../../../lib/evaluation/start/start-retry.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { monitorRunEnds } from "../../../lib/stream/monitor-run-end.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream } from "../../support/database/table-stream.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
});
afterAll(() => database.close());

test("a retry that scores counts for the monitor's alert, one that fails again does not, and neither is a run of the monitor", async () => {
  const stream = await tableStream(database, "runs");
  const monitor = randomUUID();
  const { order, runs, judged } = await storedRun(database, 1, ["a"], { monitorId: monitor });
  const { projectId: project } = order;
  const createRun = runCreation(database);
  const start = runStart({
    createRun,
    defaultModel: "offline/rules",
    defaultTier: "standard",
    maxTargets: 1,
    now: Date.now,
  });
  const end = async (id: string, value: number | null): Promise<void> => {
    const [slice] = await runs.slices(project, id, (await runs.read(project, id))?.attempt ?? "");
    const claim = await sliceStore(database).claim(project, id, slice?.slice.id ?? "");
    if (claim.kind !== "claimed") throw new Error(`The slice is ${claim.kind}.`);
    await settling(database).commit(claim.slice, 1, [await judged(claim.slice, 0, value)]);
  };
  const retry = async (id: string): Promise<string> => {
    const stored = await runs.read(project, id);
    if (stored === null) throw new Error("The run does not exist.");
    const { order: retried } = await startRetry(stored, randomUUID(), runs, runScores(database, traceScoreKind), start);
    expect(retried.monitorId).toBe(null);
    return retried.id;
  };

  await end(order.id, null);
  await end(await retry(order.id), null);
  await end(await retry(order.id), 0.5);

  expect(monitorRunEnds(await stream())).toMatchObject([
    { project, monitor, scored: 0, failed: 1 },
    { project, monitor, scored: 1, failed: 0 },
  ]);
});
