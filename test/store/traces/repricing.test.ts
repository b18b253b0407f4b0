import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelPrice } from "../../../lib/domain/traces/model-price.ts";
import type { PriceOf } from "../../../lib/domain/traces/priced.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import type { Database } from "../../../lib/store/database.ts";
import { eraseAggregates } from "../../../lib/store/hours/erase.ts";
import { pendingMarks } from "../../../lib/store/hours/pending-marks.ts";
import { documentFolding } from "../../../lib/store/remains/document-folding.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { repricingJobs } from "../../../lib/store/traces/repricing/jobs.ts";
import { repricing } from "../../../lib/store/traces/repricing/reprice.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { repricingPlace, repricingSweeping } from "../../../lib/upkeep/sweep-repricings.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { commitsRow, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A list in which every token of the model `m` costs so many dollars a million. */
const list =
  (dollars: number): PriceOf =>
  (model) =>
    model === "m"
      ? modelPrice([
          { input: dollars, output: dollars, cached: dollars, written: dollars, reasoning: dollars, from: null },
        ])
      : undefined;

const call = (span_id: string, more: object = {}) => ({
  span_id,
  name: span_id,
  model: "m",
  started_at: "2026-10-01T10:00:01+00:00",
  token_usage: { prompt_tokens: 1000 },
  ...more,
});

/** A trace that was stored without prices: a call, one whose client said its cost, and one of a model that no list has. */
const stored = async (project: string = randomUUID(), more: object = {}) => {
  const spans = [call("a"), call("paid", { cost: { total: 2 } }), call("other", { model: "x" })];
  const sent = someTrace({ spans, ...more });
  await traceStore(database, 0).save(project, sent);
  return { project, id: sent.trace_id };
};

const read = async (project: string, id: string) => {
  const found = await traceReader(database).get(project, id);
  if (found === null) throw new Error("The trace is gone.");
  return found;
};

test("a trace that is repriced costs what the list says, and neither its version for judges nor its change moves", async () => {
  const { project, id } = await stored();
  const before = await read(project, id);

  expect(await repricing(database, list(5))(project, id)).toBe(true);

  const { row, trace } = await read(project, id);
  expect([before.row.totalCost, row.totalCost]).toEqual([2, 2.005]);
  const { contentVersion, changedAt, arrivedAt, version } = before.row;
  expect(row).toMatchObject({ contentVersion, changedAt, arrivedAt, version: version + 1 });
  expect(row.facts?.spans).toMatchObject({ costs: ["client", "prices"], unpricedTokens: 1000 });
  expect(row.facts).toMatchObject({ preview: before.row.facts?.preview });
  expect(trace.spans).toMatchObject(before.trace.spans);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("repricing writes nothing where nothing costs anything else, and what comes later costs what it would have", async () => {
  const { project, id } = await stored();
  await repricing(database, list(5))(project, id);
  const watched = watchedDatabase(database);

  expect(await repricing(watched, list(5))(project, id)).toBe(false);
  expect(await repricing(watched, () => undefined)(project, id)).toBe(false);
  expect(watched.calls.filter(({ operation }) => !/^(?:Get|Query)/u.test(operation))).toEqual([]);
  await traceStore(database, 0, Date.now, list(7)).addSpans(project, id, [call("late")]);
  await repricing(database, list(1))(project, id);
  await documentFolding(database).tidy(project, id, Number.POSITIVE_INFINITY, false);

  expect((await read(project, id)).row.totalCost).toBe(2.002);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("a process that dies anywhere while it reprices leaves the old cost or the new one, and the next one ends it", async () => {
  for (let killed = 1, finished = false; !finished; killed += 1) {
    const { project, id } = await stored();
    let requests = 0;
    const dying = faultyDatabase(database, () => {
      requests += 1;
      return requests === killed ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
    });
    await repricing(dying, list(5))(project, id).catch(() => undefined);
    finished = !dying.crashed;

    expect([2, 2.005]).toContain((await read(project, id)).row.totalCost);
    expect(await rowFaults(database, project, id)).toEqual([]);
    await repricing(database, list(5))(project, id);
    expect((await read(project, id)).row.totalCost).toBe(2.005);
  }
});

test("a commit whose answer is lost is made once, and what others have stored meanwhile stays", async () => {
  const { project, id } = await stored();
  let lost = 0;
  const losing = faultyDatabase(database, (each) => (commitsRow(each) && (lost += 1) === 1 ? "timeout-after" : null));

  expect(await repricing(losing, list(5))(project, id)).toBe(true);
  expect((await read(project, id)).row.pieces).toHaveLength(2);

  const held = gate();
  const slow = faultyDatabase(database, async (each) => {
    if (commitsRow(each)) await held.pass();
    return null;
  });
  const under = repricing(slow, list(6))(project, id);
  await held.reached;
  await traceStore(database, 0).addSpans(project, id, [call("meanwhile")]);
  held.open();
  expect(await under).toBe(true);
  const { row, trace } = await read(project, id);
  expect([row.totalCost, trace.spans.length]).toEqual([2.012, 4]);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

const sweeping = (on: Database, priceOf: PriceOf) =>
  repricingSweeping(on, repricing(on, priceOf), pendingMarks(on, "repricings"), cursorStore(on, repricingPlace));

/** Asks for the traces of two days of October 2026. */
const asked = (project: string) =>
  repricingJobs(database).create({
    id: randomUUID(),
    organizationId: randomUUID(),
    project,
    from: "2026-10-01T00:00:00+00:00",
    to: "2026-10-03T00:00:00+00:00",
    requestedBy: randomUUID(),
  });

test("a range is repriced a few traces at a time, goes on where its worker has stopped or died, and touches nothing outside", async () => {
  const project = randomUUID();
  const days = ["2026-09-30T23:59:59", "2026-10-01T00:00:00", "2026-10-02T12:00:00", "2026-10-03T00:00:00"];
  const at = (day: string) => ({ started_at: `${day}+00:00` });
  const ids: string[] = [];
  for (const day of days) ids.push((await stored(project, at(day))).id);
  const early = Array.from({ length: 106 }, () => at("2026-10-01T01:00:00"));
  for (let from = 0; from < early.length; from += 20)
    await Promise.all(early.slice(from, from + 20).map((start) => stored(project, start)));
  const { id } = await asked(project);
  const find = () => repricingJobs(database).find(project, id);

  const first = await sweeping(database, list(5))(-1);
  const under = await find();
  let writes = 0;
  const dying = faultyDatabase(database, (each) => (commitsRow(each) && (writes += 1) === 4 ? "crash-after" : null));
  await sweeping(dying, list(5))(60_000).catch(() => undefined);
  const last = await sweeping(database, list(5))(60_000);
  const nothing = await sweeping(database, list(5))(60_000);

  expect(first).toEqual({ traces: 8, repriced: 8, left: true });
  expect(under).toMatchObject({ status: "PENDING", looked: 8, repriced: 8, failed: 0 });
  expect(dying.crashed).toBe(true);
  expect(last).toMatchObject({ traces: 100, left: false });
  expect(nothing).toMatchObject({ traces: 0 });
  expect(await find()).toMatchObject({ status: "COMPLETED", looked: 108, failed: 0 });
  const costs = await Promise.all(ids.map(async (each) => (await read(project, each)).row.totalCost));
  expect(costs).toEqual([2, 2.005, 2.005, 2]);
});

test("a trace that cannot be written is counted and keeps no other waiting, one that has no capacity is tried again", async () => {
  const project = randomUUID();
  const [bad, good] = [await stored(project), await stored(project)];
  const { id } = await asked(project);
  const broken = (fault: Error) =>
    repricingSweeping(
      database,
      async (owner, trace) => {
        if (trace === bad.id) throw fault;
        return await repricing(database, list(5))(owner, trace);
      },
      pendingMarks(database, "repricings"),
      cursorStore(database, repricingPlace),
    );

  const throttled = Object.assign(new Error("Slow down."), { name: "ThrottlingException" });
  await expect(broken(throttled)(60_000)).rejects.toThrow("could not be repriced");
  expect(await repricingJobs(database).find(project, id)).toMatchObject({ status: "PENDING", looked: 0 });
  await broken(new Error("Broken."))(60_000);

  expect(await repricingJobs(database).find(project, id)).toMatchObject({ status: "COMPLETED", looked: 2, failed: 1 });
  expect((await read(project, good.id)).row.totalCost).toBe(2.005);
  expect((await read(project, bad.id)).row.totalCost).toBe(2);
});

test("what a deleted project had asked for goes with it", async () => {
  const project = randomUUID();
  const { id } = await asked(project);

  for await (const _ of eraseAggregates(database)(project)) continue;

  expect(await repricingJobs(database).find(project, id)).toBeNull();
  for await (const mark of pendingMarks(database, "repricings").list(project)) expect(mark).toBeNull();
  expect(await repricingJobs(database).list(project)).toEqual([]);
});
