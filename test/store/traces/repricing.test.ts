import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelPrice } from "../../../lib/domain/traces/model-price.ts";
import type { PriceOf } from "../../../lib/domain/traces/span-cost.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { eraseAggregates } from "../../../lib/store/hours/erase.ts";
import { pendingMarkers, type PendingMarker } from "../../../lib/store/hours/pending-markers.ts";
import { documentMerging } from "../../../lib/store/garbage/document-merging.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { dayLeaseMilliseconds, maxLanes, repricingDays } from "../../../lib/store/traces/repricing/day-leases.ts";
import { repricingJobs, repricingKey, type DayLane } from "../../../lib/store/traces/repricing/jobs.ts";
import { repricing } from "../../../lib/store/traces/repricing/reprice.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { dayRepricer, repricingCursor, repricingStarter } from "../../../lib/maintenance/reprice-days.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { commitsRow, pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A price list in which each token of the model `m` costs `dollars` per million, and no other model has a price. */
const list =
  (dollars: number): PriceOf =>
  (model) =>
    model === "m"
      ? modelPrice([
          { input: dollars, output: dollars, cached: dollars, written: dollars, reasoning: dollars, from: null },
        ])
      : undefined;

const call = (span_id: string, fields: object = {}) => ({
  span_id,
  name: span_id,
  model: "m",
  started_at: "2026-10-01T10:00:01+00:00",
  token_usage: { prompt_tokens: 1000 },
  ...fields,
});

/** Stores a trace without prices, with three calls: one to reprice, one with a cost from its client, and one of an unknown model. */
const storeTrace = async (project: string = randomUUID(), fields: object = {}) => {
  const spans = [call("a"), call("paid", { cost: { total: 2 } }), call("other", { model: "x" })];
  const trace = someTrace({ spans, ...fields });
  await traceStore(database, 0).save(project, trace);
  return { project, id: trace.trace_id };
};

const readTrace = async (project: string, id: string) => {
  const located = await traceReader(database).get(project, id);
  if (located === null) throw new Error("The trace is gone.");
  return located;
};

test("a repriced trace has the cost of the price list, and its content version and change time do not change", async () => {
  const { project, id } = await storeTrace();
  const before = await readTrace(project, id);

  expect(await repricing(database, list(5))(project, id)).toBe(true);

  const { row, trace } = await readTrace(project, id);
  expect([before.row.totalCost, row.totalCost]).toEqual([2, 2.005]);
  const { contentVersion, changedAt, arrivedAt, version } = before.row;
  expect(row).toMatchObject({ contentVersion, changedAt, arrivedAt, version: version + 1 });
  expect(row.facts?.spans).toMatchObject({ costs: ["client", "prices"], unpricedTokens: 1000 });
  expect(row.facts).toMatchObject({ preview: before.row.facts?.preview });
  expect(trace.spans).toMatchObject(before.trace.spans);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("repricing writes nothing if no cost changes, and later spans are priced as usual", async () => {
  const { project, id } = await storeTrace();
  await repricing(database, list(5))(project, id);
  const watched = watchedDatabase(database);

  expect(await repricing(watched, list(5))(project, id)).toBe(false);
  expect(await repricing(watched, () => undefined)(project, id)).toBe(false);
  expect(watched.calls.filter(({ operation }) => !/^(?:Get|Query)/u.test(operation))).toEqual([]);
  await traceStore(database, 0, Date.now, list(7)).addSpans(project, id, [call("late")]);
  await repricing(database, list(1))(project, id);
  await documentMerging(database).mergeBacklog(project, id, Number.POSITIVE_INFINITY, false);

  expect((await readTrace(project, id)).row.totalCost).toBe(2.002);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("a process that dies while repricing leaves the old or the new cost, and the next one completes it", async () => {
  for (let killed = 1, finished = false; !finished; killed += 1) {
    const { project, id } = await storeTrace();
    let requests = 0;
    const dying = faultyDatabase(database, () => {
      requests += 1;
      return requests === killed ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
    });
    await repricing(dying, list(5))(project, id).catch(() => undefined);
    finished = !dying.crashed;

    expect([2, 2.005]).toContain((await readTrace(project, id)).row.totalCost);
    expect(await rowFaults(database, project, id)).toEqual([]);
    await repricing(database, list(5))(project, id);
    expect((await readTrace(project, id)).row.totalCost).toBe(2.005);
  }
});

test("a commit whose answer is lost is applied once, and concurrent changes are kept", async () => {
  const { project, id } = await storeTrace();
  let lost = 0;
  const losingDb = faultyDatabase(database, (each) => (commitsRow(each) && (lost += 1) === 1 ? "timeout-after" : null));

  expect(await repricing(losingDb, list(5))(project, id)).toBe(true);
  expect((await readTrace(project, id)).row.pieces).toHaveLength(2);

  const rowGate = pauseAt(commitsRow);
  const slow = faultyDatabase(database, rowGate.decide);
  const overlappingRepricing = repricing(slow, list(6))(project, id);
  await rowGate.reached;
  await traceStore(database, 0).addSpans(project, id, [call("meanwhile")]);
  rowGate.open();
  expect(await overlappingRepricing).toBe(true);
  const { row, trace } = await readTrace(project, id);
  expect([row.totalCost, trace.spans.length]).toEqual([2.012, 4]);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

const sweeping = (on: Database, priceOf: PriceOf, now: () => number = Date.now) =>
  dayRepricer(on, repricing(on, priceOf), pendingMarkers(on, "repricings"), cursorStore(on, repricingCursor), now);

/** Requests the repricing of a project's traces of October 1 and 2, 2026. */
const requestRepricing = (project: string) =>
  repricingJobs(database).create({
    id: randomUUID(),
    organizationId: randomUUID(),
    project,
    from: "2026-10-01T00:00:00+00:00",
    to: "2026-10-03T00:00:00+00:00",
    requestedBy: randomUUID(),
  });

test("a range is repriced in batches, continues after its worker stopped or died, and excludes traces outside of it", async () => {
  const project = randomUUID();
  const days = ["2026-09-30T23:59:59", "2026-10-01T00:00:00", "2026-10-02T12:00:00", "2026-10-03T00:00:00"];
  const at = (day: string) => ({ started_at: `${day}+00:00` });
  const ids: string[] = [];
  for (const day of days) ids.push((await storeTrace(project, at(day))).id);
  const largeDay = Array.from({ length: 130 }, () => at("2026-10-01T01:00:00"));
  for (let from = 0; from < largeDay.length; from += 20)
    await Promise.all(largeDay.slice(from, from + 20).map((start) => storeTrace(project, start)));
  const { id } = await requestRepricing(project);
  const find = () => repricingJobs(database).find(project, id);

  const first = await sweeping(database, list(5))(-1);
  const duringSweep = await find();
  let writes = 0;
  const dying = faultyDatabase(database, (each) => (commitsRow(each) && (writes += 1) === 4 ? "crash-after" : null));
  await sweeping(dying, list(5))(60_000).catch(() => undefined);
  const duringLease = await sweeping(database, list(5))(60_000);
  const afterLease = () => Date.now() + dayLeaseMilliseconds;
  const secondSweep = await sweeping(database, list(5), afterLease)(60_000);
  const emptySweep = await sweeping(database, list(5))(60_000);

  expect(first).toEqual({ traces: 24, repriced: 24, left: true });
  expect(duringSweep).toMatchObject({ status: "PENDING", looked: 24, repriced: 24, failed: 0 });
  expect(dying.crashed).toBe(true);
  // The dead worker's day is leased; the other one is free.
  expect(duringLease).toEqual({ traces: 1, repriced: 1, left: false });
  // The 107 rows after the first 24 are more than a page of 96.
  expect(secondSweep).toMatchObject({ traces: 107, left: false });
  expect(emptySweep).toMatchObject({ traces: 0 });
  expect(await find()).toMatchObject({ status: "COMPLETED", looked: 132, failed: 0 });
  const costs = await Promise.all(ids.map(async (each) => (await readTrace(project, each)).row.totalCost));
  expect(costs).toEqual([2, 2.005, 2.005, 2]);
});

test("a trace that cannot be written is counted and blocks no other, a throttled one is retried", async () => {
  const project = randomUUID();
  const [failingTrace, repriceableTrace] = [await storeTrace(project), await storeTrace(project)];
  const { id } = await requestRepricing(project);
  const sweeperFailingWith = (fault: Error) =>
    dayRepricer(
      database,
      async (owner, trace) => {
        if (trace === failingTrace.id) throw fault;
        return await repricing(database, list(5))(owner, trace);
      },
      pendingMarkers(database, "repricings"),
      cursorStore(database, repricingCursor),
    );

  const throttled = Object.assign(new Error("Slow down."), { name: "ThrottlingException" });
  await expect(sweeperFailingWith(throttled)(60_000)).rejects.toThrow("could not be repriced");
  expect(await repricingJobs(database).find(project, id)).toMatchObject({ status: "PENDING", looked: 0 });
  await sweeperFailingWith(new Error("Broken."))(60_000);

  expect(await repricingJobs(database).find(project, id)).toMatchObject({ status: "COMPLETED", looked: 2, failed: 1 });
  expect((await readTrace(project, repriceableTrace.id)).row.totalCost).toBe(2.005);
  expect((await readTrace(project, failingTrace.id)).row.totalCost).toBe(2);
});

test("workers lease different days of a range, as many as it has lanes, and take over a dead worker's day at its place", async () => {
  const project = randomUUID();
  const { id } = await requestRepricing(project);
  const range = Array.from({ length: maxLanes + 1 }, (_, index) => `2026-10-0${index + 1}`);
  const days = repricingDays(database);
  const { advance, finish, release } = days;
  const claim = () => days.claim(project, id, async () => range.map((day) => ({ day, partitions: [] })));
  const claimDay = async (): Promise<DayLane> => {
    const claimed = await claim();
    if (typeof claimed === "string") throw new Error(`The range is ${claimed}.`);
    return claimed.lease;
  };

  const lanes = await Promise.all(range.slice(1).map(claimDay));
  expect(lanes.map(({ day }) => day).toSorted()).toEqual(range.slice(0, maxLanes));
  expect(await claim()).toBe("busy");

  const [dead, other, ...rest] = lanes.toSorted((a, b) => (a.day < b.day ? -1 : 1));
  if (dead === undefined || other === undefined) throw new Error("There are too few lanes.");
  await finish(project, id, other);
  const last = await claimDay();
  const step = { key: Buffer.from("place"), looked: 3, repriced: 2, failed: 1 };
  const leaseAgo = () => Date.now() - dayLeaseMilliseconds;
  const advanced = await repricingDays(database, leaseAgo).advance(project, id, dead, step);
  const successor = await claimDay();

  expect(last.day).toBe(range[maxLanes]);
  expect(advanced).toMatchObject({ day: dead.day, looked: 3 });
  expect(successor).toMatchObject({ day: dead.day, looked: 3 });
  expect(Buffer.from(successor.key ?? []).toString()).toBe("place");
  // The predecessor turns out to be alive.
  expect(await advance(project, id, advanced ?? dead, step)).toBeNull();
  expect(await finish(project, id, advanced ?? dead)).toBe(false);
  await release(project, id, successor);
  const third = await claimDay();
  expect(third.day).toBe(dead.day);

  for (const lane of [...rest, last]) expect(await finish(project, id, lane)).toBe(true);
  expect(await claim()).toBe("busy");
  expect(await repricingJobs(database).find(project, id)).toMatchObject({ status: "PENDING", looked: 3, failed: 1 });
  await finish(project, id, third);
  expect(new Set(await Promise.all([claim(), claim()]))).toContain("ended");
  const completed = await repricingJobs(database).find(project, id);
  expect(completed).toMatchObject({ status: "COMPLETED" });
  expect(await claim()).toBe("ended");
  expect(await repricingJobs(database).find(project, id)).toEqual(completed);
});

test("a repricing that an earlier version began continues at its place", async () => {
  const project = randomUUID();
  const { id } = await requestRepricing(project);
  const [day, next] = ["2026-10-01", "2026-10-02"];
  await database.client.send(
    new UpdateCommand({
      TableName: database.table("aggregates"),
      Key: repricingKey(project, id),
      UpdateExpression: "SET #day = :day, place = :place REMOVE lanes",
      ExpressionAttributeNames: { "#day": "day" },
      ExpressionAttributeValues: { ":day": day, ":place": Buffer.from("place") },
    }),
  );
  const days = repricingDays(database);
  const claim = () =>
    days.claim(project, id, async () => ["2026-09-30", day, next].map((each) => ({ day: each, partitions: [] })));

  const [first, second] = [await claim(), await claim()];

  expect(first).toMatchObject({ lease: { day, key: new Uint8Array(Buffer.from("place")) } });
  expect(second).toMatchObject({ lease: { day: next, key: null } });
});

test("the sweeper starts a worker only while a repricing is open", async () => {
  let starts = 0;
  const starter = (open: readonly PendingMarker[]) =>
    repricingStarter({ listAfter: async () => open }, async () => {
      starts += 1;
    });

  expect(await starter([])()).toEqual({ repricingStarted: false });
  expect(starts).toBe(0);
  expect(await starter([{ project: "p", name: "r", token: "t" }])()).toEqual({ repricingStarted: true });
  expect(starts).toBe(1);
});

test("the repricing requests of a deleted project are erased", async () => {
  const project = randomUUID();
  const { id } = await requestRepricing(project);

  for await (const _ of eraseAggregates(database)(project)) continue;

  expect(await repricingJobs(database).find(project, id)).toBeNull();
  for await (const mark of pendingMarkers(database, "repricings").list(project)) expect(mark).toBeNull();
  expect(await repricingJobs(database).list(project)).toEqual([]);
});
