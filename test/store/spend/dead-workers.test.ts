import { afterAll, beforeAll, expect, test } from "vitest";
import { microsUp } from "../../../lib/domain/runs/budget.ts";
import { chargedOf, noUsage, unreportedCost, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { batchGet } from "../../../lib/dynamo/batches.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { budgetName, shardKeys, budgetSums } from "../../../lib/store/spend/items.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { paidWorker } from "../../support/runs/paid-worker.ts";
import { storedRun } from "../runs/run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const metrics = Array.from({ length: 12 }, (_, index) => `metric_${index}`);
/** Milliseconds, longer than a lease. */
const leaseEnd = 45_000;

const noCeilings = { project: null, organization: null, deployment: null };

/** A run of one slice with twelve pairs, whose workers each have a database connection of their own. */
const setUp = async (maxCostUsd: number | null) => {
  const clock = { at: Date.now() };
  const run = await storedRun(database, 1, metrics, { maxCostUsd, resolvedModel: "scripted/judge" });
  const { projectId, id }: RunOrder = run.order;
  const workers: ReturnType<typeof paidWorker>[] = [];
  /** Starts a worker whose judge answers some questions and then waits. */
  const work = (answers: number) => {
    const connection = faultyDatabase(database, () => null);
    const ceilings = maxCostUsd === null ? noCeilings : undefined;
    const worker = paidWorker(connection, run.order, run.slices[0] ?? "", answers, () => clock.at, ceilings);
    workers.push(worker);
    return worker;
  };
  return {
    clock,
    run,
    work,
    /** Ends a worker's process after some answers, and waits until its lease is over. */
    workUntilDeath: async (answers: number) => {
      const worker = work(answers);
      await worker.busy;
      worker.database.crash();
      worker.goOn();
      await worker.end;
      clock.at += leaseEnd;
    },
    billed: () => workers.reduce((sum, worker) => sum + worker.billed(), 0),
    /** Times that each worker recorded the bound of its calls. */
    recorded: () => workers.map((worker) => worker.recorded()),
    /** Micro-dollars spent and reserved under the run's or the project's ceiling. */
    used: async (kind: "run" | "project") =>
      budgetSums(
        await batchGet(database, "spend", shardKeys(budgetName(kind, { project: projectId, run: id }, clock.at))),
      ),
    end: () => run.runs.get(projectId, id),
  };
};

test("what workers had reserved when they died counts as spent, under each ceiling and in the run", async () => {
  const { work, workUntilDeath, billed, used, end } = await setUp(20);
  for (const answers of [0, 1, 4, 7]) {
    await workUntilDeath(answers);
  }
  await work(Infinity).end;

  const run = await end();
  expect(run).toMatchObject({ status: "COMPLETED", scored: metrics.length, usage: { cost: 3 } });
  const usage = run?.usage ?? noUsage;
  expect(billed()).toBeGreaterThan(3);
  expect(chargedOf(usage)).toBeGreaterThanOrEqual(billed());
  expect(unreportedCost(usage)).toBeCloseTo(chargedOf(usage) - 3);
  const spent = { used: microsUp(chargedOf(usage)), reserved: 0 };
  expect([await used("run"), await used("project")]).toEqual([
    { ...spent, settled: 0 },
    { ...spent, settled: spent.used },
  ]);
});

test("a run whose workers die ends below its ceiling", async () => {
  const { work, workUntilDeath, billed, end } = await setUp(2);
  for (let deaths = 0; deaths < 8 && (await end())?.completedAt === null; deaths += 1) {
    await workUntilDeath(1);
  }
  await work(Infinity).end;

  expect(billed()).toBeLessThanOrEqual(2);
  expect((await end())?.errorMessage).toContain("max_cost_usd");
});

test("calls that a worker makes after its lease was taken stay within what it forfeited", async () => {
  const { clock, work, billed, used } = await setUp(20);
  const first = work(2);
  await first.busy;
  clock.at += leaseEnd;
  await work(Infinity).end;
  first.goOn();
  await first.end;

  const { used: amount, reserved } = await used("run");
  expect(amount).toBeGreaterThanOrEqual(microsUp(billed()));
  expect([amount < 20e6, reserved]).toEqual([true, 0]);
});

test("judgements that a worker cannot commit, because the run was deleted, count as spent", async () => {
  const { clock, run, work, billed, used } = await setUp(20);
  const { projectId, id } = run.order;
  const worker = work(2);
  await worker.busy;
  const stored = await run.runs.read(projectId, id);
  const removed = stored !== null && (await runDeletion(database, run.runs, () => clock.at).remove(stored, false));
  worker.goOn();
  await worker.end;

  expect([removed, billed() > 0.5]).toEqual([true, true]);
  expect(await used("project")).toEqual({ used: microsUp(billed()), reserved: 0, settled: 0 });
});

test("without a ceiling the calls of workers that died are told as a bound, by a few writes for each of their leases", async () => {
  const { work, workUntilDeath, billed, used, recorded, end } = await setUp(null);
  for (const answers of [0, 1, 4]) await workUntilDeath(answers);
  await work(Infinity).end;

  const ended = await end();
  expect(ended).toMatchObject({ status: "COMPLETED", scored: metrics.length, usage: { cost: 3 } });
  const usage = ended?.usage ?? noUsage;
  expect(billed()).toBeGreaterThan(3);
  expect(chargedOf(usage)).toBeGreaterThanOrEqual(billed());
  // Three calls at a time, of at most $0.38 each, of a worker that died before its first answer; judges that answer at once cost more.
  expect(unreportedCost(usage)).toBeGreaterThanOrEqual(3 * 0.38);
  expect(unreportedCost(usage)).toBeLessThan(2 * 3 * metrics.length * 0.38);
  expect(Math.max(...recorded())).toBeLessThanOrEqual(3);
  expect((await used("project")).settled).toBe(microsUp(chargedOf(usage)));
});

test("without a ceiling a worker that ends its lease leaves nothing to tell", async () => {
  const { work, end, recorded } = await setUp(null);
  const worker = work(2);
  await worker.busy;
  worker.goOn();
  await worker.end;

  expect(unreportedCost((await end())?.usage ?? noUsage)).toBe(0);
  expect(recorded()[0]).toBeGreaterThan(0);
});
