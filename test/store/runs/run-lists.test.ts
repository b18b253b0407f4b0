import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { noUsage, runStatuses, type JudgeUsage, type RunOrder, type RunStatus } from "../../../lib/domain/runs/run.ts";
import { counterStore } from "../../../lib/store/totals/counters.ts";
import { failedLists } from "../../../lib/store/totals/failed-lists.ts";
import { facetCounts, sumMatching, runCountsPartition } from "../../../lib/store/totals/facets.ts";
import { eraseAggregates } from "../../../lib/store/hours/erase.ts";
import { runsOfMonitor, runsOfType } from "../../../lib/store/runs/counts.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runList, type RunList } from "../../../lib/store/runs/list.ts";
import { runsCost } from "../../../lib/store/runs/month-cost.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { runFilters } from "../../../lib/stream/run-counts.ts";
import { runWindow } from "../../../lib/stream/run-window.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream, type TableStream } from "../../support/database/table-stream.ts";
import { seeded } from "../../support/random.ts";
import { writeRuns, type WrittenRun } from "../../support/runs/run-items.ts";
import { someOrder } from "../../support/runs/runs.ts";

let database: TestDatabase;
let stream: TableStream;
let takeCapacity: ReturnType<typeof countCapacity>;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  takeCapacity = countCapacity(database);
  stream = await tableStream(database, "runs");
});
afterAll(() => database.close());

const deletedRuns: string[] = [];

const window = (through = database) =>
  runWindow(
    {
      start: async () => undefined,
      end: async () => undefined,
      note: async () => undefined,
      purge: async (runs) => void deletedRuns.push(...runs.map(({ run }) => run)),
    },
    counterStore(through),
    withoutDeletions,
  );

const records = async (): Promise<DynamoDBRecord[]> =>
  (await stream()).filter((record) => passesFilters(record, runFilters));

/** Delivers all new records of the stream to the run counters. */
const follow = async (shardId = "shard"): Promise<void> => {
  await window()({ shardId, Records: await records() });
};

const start = Date.UTC(2026, 9, 1);

const runsToWrite = (projectId: string, count: number, overrides: Partial<RunOrder> = {}): readonly WrittenRun[] =>
  Array.from({ length: count }, (_, index) => ({
    order: someOrder({ projectId, createdAt: instantAt(start + index * 60_000), ...overrides }),
    status: index % 10 === 0 ? ("FAILED" as const) : ("COMPLETED" as const),
  }));

const idsOf = ({ runs }: Awaited<ReturnType<RunList["page"]>>) => runs.map(({ run }) => run.order.id);

/** Ids of the runs, newest first. */
const newestFirst = (runs: readonly WrittenRun[]): readonly string[] => runs.map(({ order }) => order.id).toReversed();

test("pages contain every run once and in order, and totals match the model, however the stream is delivered", async () => {
  const [projectId, monitorId, random] = [randomUUID(), randomUUID(), seeded(11)];
  const list = runList(database);
  const model: { order: RunOrder; status: RunStatus }[] = [];
  const deletions: string[] = [];
  const [deliveries, position] = [new Array<DynamoDBRecord>(), { at: 0 }];
  await follow();
  for (let step = 0; step < 70; step += 1) {
    const chosenRun = model.length === 0 ? undefined : random.pick(model as [(typeof model)[0]]);
    if (chosenRun === undefined || random.chance(0.75)) {
      const order = someOrder({
        projectId,
        createdAt: instantAt(start + step * 1_000),
        monitorId: random.chance(0.5) ? monitorId : null,
      });
      await runCreation(database)(order, []);
      model.push({ order, status: "PENDING" });
    } else if (random.chance(0.6)) {
      const runRecord = await runStore(database).read(projectId, chosenRun.order.id);
      if (runRecord !== null && chosenRun.status === "PENDING")
        await runStore(database).begin(projectId, chosenRun.order.id);
      if (chosenRun.status === "PENDING") chosenRun.status = "RUNNING";
    } else {
      const runRecord = await runStore(database).read(projectId, chosenRun.order.id);
      if (runRecord !== null) await runDeletion(database, runStore(database)).remove(runRecord, false);
      model.splice(model.indexOf(chosenRun), 1);
      deletions.push(chosenRun.order.id);
    }
    deliveries.push(...(await records()));
    // Records since the last acknowledged one, in new batches, some of them delivered twice.
    const begin = Math.max(0, position.at - random.between(0, 6));
    const batch = deliveries.slice(begin, begin + random.between(0, 12));
    await window()({ shardId: "shard", Records: batch });
    position.at = Math.max(position.at, begin + batch.length);
    const newest = model.map(({ order }) => order.id).toReversed();
    const [limit, offset] = [random.between(1, 8), random.between(0, 12)];
    const page = await list.page(projectId, "TRACE", {}, limit, offset);
    expect(idsOf(page)).toEqual(newest.slice(offset, offset + limit));
    expect(page.total).toBeGreaterThanOrEqual(Math.min(model.length, offset + page.runs.length));
    const exact = offset + limit < model.length ? page.total : model.length;
    expect(page.total).toBe(exact);
  }
  await window()({ shardId: "shard", Records: deliveries.slice(position.at) });

  const statusCounts = await facetCounts(database).ofScope(runCountsPartition(projectId), runsOfType("TRACE"));
  const expectedCounts = runStatuses.map((status) => [status, model.filter((run) => run.status === status).length]);
  expect(runStatuses.map((status) => [status, statusCounts.get(status) ?? 0])).toEqual(expectedCounts);
  const ofMonitor = model.filter(({ order }) => order.monitorId === monitorId);
  const pageOfMonitor = await list.ofMonitor(projectId, monitorId, 200, 0);
  expect(idsOf(pageOfMonitor)).toEqual(ofMonitor.map(({ order }) => order.id).toReversed());
  const countsOfMonitor = await facetCounts(database).ofScope(runCountsPartition(projectId), runsOfMonitor(monitorId));
  expect(sumMatching(countsOfMonitor)).toBe(ofMonitor.length);
  expect(deletions.length).toBeGreaterThan(0);
  expect(new Set(deletedRuns)).toEqual(new Set(deletions));
});

test("the read cost of a default page does not depend on the number of runs", async () => {
  const costs: number[] = [];
  for (const count of [100, 600]) {
    const [projectId, monitorId] = [randomUUID(), randomUUID()];
    const runs = runsToWrite(projectId, count, { monitorId });
    await writeRuns(database, runs);
    await follow();
    for (const read of [
      () => runList(database).page(projectId, "TRACE", {}, 50, 0),
      () => runList(database).ofMonitor(projectId, monitorId, 50, 0),
      () => runList(database).page(projectId, "TRACE", { status: "COMPLETED" }, 50, 0),
    ]) {
      takeCapacity();
      await read();
      costs.push(takeCapacity().read);
    }
    const page = await runList(database).page(projectId, "TRACE", { status: "FAILED" }, 10, 5);
    expect(idsOf(page)).toEqual(newestFirst(runs.filter(({ status }) => status === "FAILED")).slice(5, 15));
    expect(page.total).toBe(count / 10);
    expect((await runList(database).page(projectId, "TRACE", {}, 10, count - 5)).total).toBe(count);
    expect(idsOf(await runList(database).page(projectId, "TRACE", {}, 3, count - 5))).toEqual(
      newestFirst(runs).slice(-5, -2),
    );
  }

  expect(costs.slice(3)).toEqual(costs.slice(0, 3));
  expect(Math.max(...costs)).toBeLessThan(8);
});

test("a page that would read too many rows is refused before anything is read", async () => {
  const projectId = randomUUID();
  await writeRuns(database, runsToWrite(projectId, 300));
  await follow();
  const list = runList(database, Date.now, 100);
  takeCapacity();

  const deepPage = list.page(projectId, "TRACE", {}, 50, 150);
  await expect(deepPage).rejects.toMatchObject({
    reason: { kind: "invalid", violations: [{ loc: ["query", "offset"], type: "too_many_rows" }] },
  });
  const sparsePage = list.page(projectId, "TRACE", { status: "FAILED" }, 50, 0);
  await expect(sparsePage).rejects.toMatchObject({
    reason: { violations: [{ loc: ["query", "status"], msg: expect.stringContaining("Leave status out.") }] },
  });

  // The reads of the counters, and of the state of the list of failed runs.
  expect(takeCapacity().calls).toBe(3);
  expect((await list.page(projectId, "TRACE", {}, 50, 0)).total).toBe(300);
  expect(await list.page(projectId, "TRACE", {}, 50, 1_000_000)).toEqual({ runs: [], total: 300, last: null });
});

test("failed runs are listed by their own list, whatever the number of others", async () => {
  const [projectId, runs] = [randomUUID(), runStore(database)];
  const written = runsToWrite(projectId, 300);
  await writeRuns(database, written);
  await follow();
  const list = runList(database, Date.now, 100);
  await failedLists(database).scanFrom(true);
  const newest = newestFirst(written.filter(({ status }) => status === "FAILED"));

  const [first, dated] = [
    await list.page(projectId, "TRACE", { status: "FAILED" }, 3, 0),
    await list.page(projectId, "TRACE", { status: "FAILED", date_to: written[20]?.order.createdAt }, 3, 0),
  ];
  const second = await list.page(projectId, "TRACE", { status: "FAILED" }, 3, 0, first.last);
  const stored = await runs.read(projectId, newest[0] ?? "");
  if (stored !== null) await runDeletion(database, runs).remove(stored, false);

  expect([idsOf(first), idsOf(second), idsOf(dated)]).toEqual([
    newest.slice(0, 3),
    newest.slice(3, 6),
    newest.slice(28),
  ]);
  expect([first.total, dated.total]).toEqual([30, 2]);
  expect(idsOf(await list.page(projectId, "TRACE", { status: "FAILED" }, 1, 0))).toEqual([newest[1]]);
});

test("a range of creation times selects runs and counts all of them", async () => {
  const [projectId, list] = [randomUUID(), runList(database)];
  const runs = runsToWrite(projectId, 80);
  await writeRuns(database, runs);
  const [date_from, date_to] = [5, 75].map((minute) => instantAt(start + minute * 60_000));

  const page = await list.page(projectId, "TRACE", { date_from, date_to }, 4, 60);
  const next = await list.page(projectId, "TRACE", { date_from, date_to }, 50, 0, page.last);
  const failed = await list.page(projectId, "TRACE", { date_from, date_to, status: "FAILED" }, 2, 1);

  expect([page.total, next.total, failed.total]).toEqual([70, 70, 7]);
  expect([...idsOf(page), ...idsOf(next)]).toEqual(newestFirst(runs.slice(5, 75)).slice(60));
  expect(idsOf(failed)).toEqual([runs[60], runs[50]].map((each) => each?.order.id));
  expect(await list.page(projectId, "TRACE", { date_from: date_to, date_to }, 4, 0)).toMatchObject({ total: 0 });
});

test("the counters of a deleted project are erased", async () => {
  const projectId = randomUUID();
  await writeRuns(database, runsToWrite(projectId, 60));
  await follow();

  let erased = 0;
  for await (const items of eraseAggregates(database)(projectId)) erased += typeof items === "number" ? items : 0;

  expect(erased).toBe(2);
  expect((await runList(database).page(projectId, "TRACE", {}, 5, 0)).total).toBe(51);
});

test("the cost that a month's totals lack is that of the project's newest uncounted runs created in it, of traces and sessions", async () => {
  const projectId = randomUUID();
  const run = (minute: number, usage: Partial<JudgeUsage>, order: Partial<RunOrder> = {}, counted?: number) => ({
    order: someOrder({ projectId, createdAt: instantAt(start + minute * 60_000), ...order }),
    status: "COMPLETED" as const,
    usage: { ...noUsage, ...usage },
    ...(counted !== undefined && { counted }),
  });
  const countedProject = randomUUID();
  await writeRuns(database, [
    run(0, { cost: 1 }, { projectId: countedProject }, 1_000_000),
    run(1, { cost: 1 }, { projectId: countedProject }, 750_000),
    run(-1, { cost: 100 }),
    run(0, { cost: 1 }),
    run(1, { cost: 0.25, charged: 0.5 }),
    run(2, { cost: null }),
    run(3, { cost: 2 }, { targetType: "SESSION" }),
    run(4, { cost: 50 }, { projectId: randomUUID() }),
  ]);
  const since = instantAt(start);
  const runs = runStore(database);

  expect(await runsCost(database, runs)(projectId, since)).toEqual({
    uncounted: 3_500_000,
    runs: 4,
    unpricedRuns: 1,
    isComplete: false,
  });
  // The newest two runs of traces, and all of sessions.
  expect(await runsCost(database, runs, 2)(projectId, since)).toEqual({
    uncounted: 2_500_000,
    runs: 3,
    unpricedRuns: 1,
    isComplete: false,
  });
  // The second run was finished by a worker of an earlier build in part.
  expect(await runsCost(database, runs, 2)(countedProject, since)).toEqual({
    uncounted: 250_000,
    runs: 2,
    unpricedRuns: 0,
    isComplete: true,
  });
});
