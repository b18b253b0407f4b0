import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { runStatuses, type RunOrder, type RunStatus } from "../../../lib/domain/runs/run.ts";
import { counterStore } from "../../../lib/store/counters.ts";
import { facetCounts, numberOf, runCountsPartition } from "../../../lib/store/facets.ts";
import { eraseAggregates } from "../../../lib/store/hours/erase.ts";
import { runsOfMonitor, runsOfType } from "../../../lib/store/runs/counts.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runList, type RunList } from "../../../lib/store/runs/list.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { carryingOver } from "../../../lib/upkeep/carry-over.ts";
import { runFilters } from "../../../lib/stream/run-counts.ts";
import { runWindow } from "../../../lib/stream/run-window.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { allLiving } from "../../support/database/all-living.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream, type TableStream } from "../../support/database/table-stream.ts";
import { seeded } from "../../support/random.ts";
import { writeRuns, type WrittenRun } from "../../support/runs/run-items.ts";
import { someOrder } from "../../support/runs/runs.ts";

let database: TestDatabase;
let stream: TableStream;
let spent: ReturnType<typeof countCapacity>;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  spent = countCapacity(database);
  stream = await tableStream(database, "runs");
});
afterAll(() => database.close());

const window = (through = database) => runWindow(async () => undefined, counterStore(through), allLiving);

const records = async (): Promise<DynamoDBRecord[]> =>
  (await stream()).filter((record) => passesFilters(record, runFilters));

/** Delivers all that is new of the stream. */
const follow = async (shardId = "shard"): Promise<void> => {
  await window()({ shardId, Records: await records() });
};

const start = Date.UTC(2026, 9, 1);

const written = (projectId: string, count: number, given: Partial<RunOrder> = {}): readonly WrittenRun[] =>
  Array.from({ length: count }, (_, index) => ({
    order: someOrder({ projectId, createdAt: instantAt(start + index * 60_000), ...given }),
    status: index % 10 === 0 ? ("FAILED" as const) : ("COMPLETED" as const),
  }));

const idsOf = ({ runs }: Awaited<ReturnType<RunList["page"]>>) => runs.map(({ run }) => run.order.id);

/** Ids of some runs, newest first. */
const newestFirst = (runs: readonly WrittenRun[]): readonly string[] => runs.map(({ order }) => order.id).toReversed();

test("pages have every run once and in order, and totals are the model's, however the stream is delivered", async () => {
  const [projectId, monitorId, random] = [randomUUID(), randomUUID(), seeded(11)];
  const list = runList(database);
  const model: { order: RunOrder; status: RunStatus }[] = [];
  const [told, cut] = [new Array<DynamoDBRecord>(), { at: 0 }];
  await follow();
  for (let step = 0; step < 70; step += 1) {
    const chosen = model.length === 0 ? undefined : random.pick(model as [(typeof model)[0]]);
    if (chosen === undefined || random.chance(0.75)) {
      const order = someOrder({
        projectId,
        createdAt: instantAt(start + step * 1_000),
        monitorId: random.chance(0.5) ? monitorId : null,
      });
      await runCreation(database)(order, []);
      model.push({ order, status: "PENDING" });
    } else if (random.chance(0.6)) {
      const stored = await runStore(database).read(projectId, chosen.order.id);
      if (stored !== null && chosen.status === "PENDING") await runStore(database).begin(projectId, chosen.order.id);
      if (chosen.status === "PENDING") chosen.status = "RUNNING";
    } else {
      const stored = await runStore(database).read(projectId, chosen.order.id);
      if (stored !== null) await runDeletion(database, runStore(database)).remove(stored, false);
      model.splice(model.indexOf(chosen), 1);
    }
    told.push(...(await records()));
    // From what was not acknowledged, cut anew, some of it again.
    const begin = Math.max(0, cut.at - random.between(0, 6));
    const batch = told.slice(begin, begin + random.between(0, 12));
    await window()({ shardId: "shard", Records: batch });
    cut.at = Math.max(cut.at, begin + batch.length);
    const newest = model.map(({ order }) => order.id).toReversed();
    const [limit, offset] = [random.between(1, 8), random.between(0, 12)];
    const page = await list.page(projectId, "TRACE", null, limit, offset);
    expect(idsOf(page)).toEqual(newest.slice(offset, offset + limit));
    expect(page.total).toBeGreaterThanOrEqual(Math.min(model.length, offset + page.runs.length));
    const exact = offset + limit < model.length ? page.total : model.length;
    expect(page.total).toBe(exact);
  }
  await window()({ shardId: "shard", Records: told.slice(cut.at) });

  const counted = await facetCounts(database).ofScope(runCountsPartition(projectId), runsOfType("TRACE"));
  const wanted = runStatuses.map((status) => [status, model.filter((run) => run.status === status).length]);
  expect(runStatuses.map((status) => [status, counted.get(status) ?? 0])).toEqual(wanted);
  const ofMonitor = model.filter(({ order }) => order.monitorId === monitorId);
  const all = await list.ofMonitor(projectId, monitorId, 200, 0);
  expect(idsOf(all)).toEqual(ofMonitor.map(({ order }) => order.id).toReversed());
  const madeByIt = await facetCounts(database).ofScope(runCountsPartition(projectId), runsOfMonitor(monitorId));
  expect(numberOf(madeByIt)).toBe(ofMonitor.length);
});

test("a default page costs the same however many runs there are", async () => {
  const costs: number[] = [];
  for (const count of [100, 600]) {
    const [projectId, monitorId] = [randomUUID(), randomUUID()];
    const runs = written(projectId, count, { monitorId });
    await writeRuns(database, runs);
    await follow();
    for (const read of [
      () => runList(database).page(projectId, "TRACE", null, 50, 0),
      () => runList(database).ofMonitor(projectId, monitorId, 50, 0),
      () => runList(database).page(projectId, "TRACE", "COMPLETED", 50, 0),
    ]) {
      spent();
      await read();
      costs.push(spent().read);
    }
    const page = await runList(database).page(projectId, "TRACE", "FAILED", 10, 5);
    expect(idsOf(page)).toEqual(newestFirst(runs.filter(({ status }) => status === "FAILED")).slice(5, 15));
    expect(page.total).toBe(count / 10);
    expect((await runList(database).page(projectId, "TRACE", null, 10, count - 5)).total).toBe(count);
    expect(idsOf(await runList(database).page(projectId, "TRACE", null, 3, count - 5))).toEqual(
      newestFirst(runs).slice(-5, -2),
    );
  }

  expect(costs.slice(3)).toEqual(costs.slice(0, 3));
  expect(Math.max(...costs)).toBeLessThan(8);
});

test("runs that a previous version has listed are listed and counted among the others", async () => {
  const [projectId, monitorId] = [randomUUID(), randomUUID()];
  const runs = written(projectId, 120, { monitorId });
  await writeRuns(
    database,
    runs.filter((_, index) => index % 3 > 0),
    true,
  );
  await writeRuns(
    database,
    runs.filter((_, index) => index % 3 === 0),
  );
  await follow();

  const pages = [
    await runList(database).page(projectId, "TRACE", null, 30, 20),
    await runList(database).ofMonitor(projectId, monitorId, 30, 20),
  ];

  for (const page of pages) {
    expect(idsOf(page)).toEqual(newestFirst(runs).slice(20, 50));
    expect(page.total).toBe(120);
  }
  expect((await runList(database).page(projectId, "TRACE", "FAILED", 5, 0)).total).toBe(12);
});

test("they are moved to where they are counted, once, whoever else changes them", async () => {
  const [projectId, monitorId] = [randomUUID(), randomUUID()];
  const runs = written(projectId, 60, { monitorId });
  await writeRuns(database, runs, true);
  const [gone] = runs;
  const stored = await runStore(database).read(projectId, gone?.order.id ?? "");
  await follow();

  await Promise.all([
    carryingOver(database)(60_000),
    carryingOver(database)(60_000),
    stored !== null && runDeletion(database, runStore(database)).remove(stored, false),
  ]);
  await follow();
  spent();
  const page = await runList(database).page(projectId, "TRACE", null, 50, 0);

  expect(idsOf(page)).toEqual(newestFirst(runs).slice(0, 50));
  expect(page.total).toBe(59);
  expect(spent().read).toBeLessThan(8);
  expect((await runList(database).page(projectId, "TRACE", "COMPLETED", 1, 0)).total).toBe(54);
  expect((await runList(database).ofMonitor(projectId, monitorId, 1, 0)).total).toBe(59);
  expect((await carryingOver(database)(60_000)).entries).toBe(0);
});

test("what would take too long is refused before anything is read", async () => {
  const projectId = randomUUID();
  await writeRuns(database, written(projectId, 300));
  await follow();
  const list = runList(database, Date.now, 100);
  spent();

  const deep = list.page(projectId, "TRACE", null, 50, 150);
  await expect(deep).rejects.toMatchObject({
    reason: { kind: "invalid", violations: [{ loc: ["query", "offset"], type: "too_many_rows" }] },
  });
  const sparse = list.page(projectId, "TRACE", "FAILED", 50, 0);
  await expect(sparse).rejects.toMatchObject({
    reason: { violations: [{ loc: ["query", "status"], msg: expect.stringContaining("Leave status out.") }] },
  });

  // What counters say, and whether a previous version has listed any.
  expect(spent().calls).toBe(4);
  expect((await list.page(projectId, "TRACE", null, 50, 0)).total).toBe(300);
  expect(await list.page(projectId, "TRACE", null, 50, 1_000_000)).toEqual({ runs: [], total: 300, last: null });
});

test("nothing is left of the counters of a project that was removed", async () => {
  const projectId = randomUUID();
  await writeRuns(database, written(projectId, 60));
  await follow();

  let erased = 0;
  for await (const items of eraseAggregates(database)(projectId)) erased += typeof items === "number" ? items : 0;

  expect(erased).toBe(2);
  expect((await runList(database).page(projectId, "TRACE", null, 5, 0)).total).toBe(51);
});
