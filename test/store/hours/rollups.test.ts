import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { rowKeyIn } from "../../../lib/store/traces/keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { deleteRow } from "../../support/traces/delete-row.ts";
import { isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";
import { analyticsWorld, followerOf, type AnalyticsWorld } from "../traces/analytics-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hour = "2026-10-01T10";
const at = (minute: number): string => `${hour}:${String(minute).padStart(2, "0")}:00+00:00`;
const theDay = ["2026-10-01T00:00:00+00:00", "2026-10-02T00:00:00+00:00"] as const;

const traceAt = (minute: number, spanAt = at(minute)): IdentifiedTrace => ({
  trace_id: randomUUID(),
  name: "agent",
  started_at: at(minute),
  spans: [{ span_id: randomUUID(), name: "call", model: "m", started_at: spanAt, token_usage: { prompt_tokens: 1 } }],
});

/** True for a request that stores an hourly rollup. */
const stores = isOn("PutItem", "aggregates");

const keyOf = ({ project }: AnalyticsWorld, expiry = "-") => ({ project, hour, expiry });

const itemsOf = async (pk: string): Promise<readonly string[]> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "aggregates",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
    }),
  );
  return Items.map(({ sk }) => String(sk));
};

const pendingOf = async ({ project }: AnalyticsWorld): Promise<readonly string[]> =>
  (await itemsOf("pending#hours")).filter((name) => name.startsWith(project));

test.each([
  ["is computed for the first time", 0],
  ["was computed before", 1],
])("of two concurrent computations the one with older rows is discarded, when an hour %s", async (_, before) => {
  const [world, storeGate] = [analyticsWorld(database), pausePoint()];
  const slow = faultyDatabase(database, async (call) => {
    if (stores(call)) await storeGate.pass();
    return null;
  });
  if (before > 0) await world.save(traceAt(0));
  await world.settle();
  await world.save(traceAt(1));
  const computing = followerOf(slow, () => world.clock.now).rollups.refresh(keyOf(world));
  await storeGate.reached;
  await world.save(traceAt(2));

  expect(await world.rollups.refresh(keyOf(world))).toBe(true);
  storeGate.open();

  expect(await computing).toBe(false);
  expect(await world.figures(...theDay)).toMatchObject([{ trace_count: before + 2 }]);
});

test("an hour whose rollup others keep changing is left to the sweeper", async () => {
  const world = analyticsWorld(database);
  const busy = faultyDatabase(database, (call) => (stores(call) ? "conflict" : null));
  await world.save(traceAt(1));

  expect(await followerOf(busy, () => world.clock.now).rollups.refresh(keyOf(world))).toBe(false);
});

test.each(["crash-before", "crash-after", "timeout-after"] as const)(
  "a computation that ends in a %s is completed with all of its items by the next delivery",
  async (kind) => {
    const world = analyticsWorld(database);
    await world.save(traceAt(1, "2026-10-01T12:00:00+00:00"), traceAt(2, "2026-10-01T08:00:00+00:00"));
    const records = await world.records();
    const dying = followerOf(
      faultyDatabase(
        database,
        once(({ operation }) => operation === "TransactWriteItems", kind),
      ),
      () => world.clock.now,
    );
    const log = vi.spyOn(console, "log").mockReturnValue(undefined);

    await dying.follow(records).catch(() => undefined);
    world.clock.now += 1_000;
    await world.follow(records);
    log.mockRestore();

    expect(await world.usage(...theDay)).toHaveLength(2);
    expect(await world.figures(...theDay)).toMatchObject([{ trace_count: 2 }]);
    expect(await itemsOf(`${world.project}#hours`)).toEqual(
      ["08", "10", "12"].map((spans) => `2026-10-01T${spans}#${hour}#-`),
    );
  },
);

test("items of hours without any span are removed", async () => {
  const world = analyticsWorld(database);
  const trace = traceAt(1, "2026-10-01T12:00:00+00:00");
  await world.save(trace);
  await world.settle();

  await world.remove(trace.trace_id);
  await world.settle();

  expect(await itemsOf(`${world.project}#hours`)).toEqual([`${hour}#${hour}#-`]);
});

test("an hour is computed at most once a second; in between its rows are read", async () => {
  const world = analyticsWorld(database);
  await world.save(traceAt(1));
  await world.follow(await world.records());
  world.clock.now += 999;
  await world.save(traceAt(2, at(59)));

  await world.follow(await world.records());

  expect(await pendingOf(world)).toEqual([`${world.project}#${hour}#-`]);
  expect(await world.figures(...theDay)).toMatchObject([{ trace_count: 2 }]);
  expect(await world.models(...theDay)).toMatchObject([{ call_count: 2 }]);
  expect(await world.usage(at(30), at(59))).toEqual([]);
});

test("the sweeper computes an hour when it is due and removes its staleness marker", async () => {
  const world = analyticsWorld(database);
  for (const minute of [1, 2]) {
    await world.save(traceAt(minute));
    await world.follow(await world.records());
  }
  await world.sweep();
  expect(await pendingOf(world)).toHaveLength(1);
  world.clock.now += 1_000;

  await world.sweep();

  expect(await pendingOf(world)).toEqual([]);
  expect(await world.figures(...theDay)).toMatchObject([{ trace_count: 2 }]);
});

test("a change during the sweeper's computation of an hour keeps the hour's staleness marker", async () => {
  const [world, storeGate] = [analyticsWorld(database), pausePoint()];
  const slow = faultyDatabase(database, async (call) => {
    if (stores(call)) await storeGate.pass();
    return null;
  });
  await world.save(traceAt(1));
  await world.pending.mark(world.project, `${hour}#-`);
  const sweeping = followerOf(slow, () => world.clock.now).sweep();
  await storeGate.reached;
  await world.pending.mark(world.project, `${hour}#-`);

  storeGate.open();
  await sweeping;

  expect(await pendingOf(world)).toHaveLength(1);
});

test("an hour that cannot be computed keeps its staleness marker, is answered from its rows, and does not stop other hours", async () => {
  const world = analyticsWorld(database);
  const broken = faultyDatabase(database, (call) =>
    stores(call) && JSON.stringify(call.input["Item"]).includes(`${hour}#${hour}`) ? "server-error" : null,
  );
  const log = vi.spyOn(console, "log").mockReturnValue(undefined);
  await world.save(traceAt(1), { ...traceAt(1), started_at: "2026-10-01T11:00:00+00:00" });

  await followerOf(broken, () => world.clock.now).follow(await world.records());

  expect(log.mock.calls.flat().join("")).toContain('"event":"hour_not_computed"');
  log.mockRestore();
  expect(await pendingOf(world)).toHaveLength(1);
  expect(await itemsOf(`${world.project}#hours`)).toContain("2026-10-01T11#2026-10-01T11#-");
  expect(await world.figures(...theDay, "day")).toMatchObject([{ trace_count: 2 }]);
});

test("expired traces disappear at once from the total and from figures read from rows; sums of computed hours stay", async () => {
  const world = analyticsWorld(database, 1);
  const expiry = Date.parse("2026-10-03T00:00:00Z");
  await world.save(traceAt(1), traceAt(50, "2026-10-01T12:20:00+00:00"));
  await world.settle();
  world.clock.now = expiry - 1;
  expect(await world.total()).toBe(2);
  expect(await world.usage(at(0), at(30))).toMatchObject([{ prompt_tokens: 1 }]);

  world.clock.now = expiry;

  expect(await world.total()).toBe(0);
  expect(await world.figures(...theDay, "day")).toMatchObject([{ trace_count: 2 }]);
  expect(await world.models(...theDay)).toMatchObject([{ call_count: 2 }]);
  // An hour that the range cuts counts as a whole if the range includes its start.
  expect(await world.figures(at(0), at(30))).toMatchObject([{ trace_count: 2 }]);
  expect(await world.figures(at(30), theDay[1])).toEqual([]);
  expect(await world.usage(at(30), "2026-10-01T12:10:00+00:00")).toMatchObject([{ prompt_tokens: 1 }]);
});

test("the removal of expired rows changes neither totals nor history", async () => {
  const world = analyticsWorld(database, 1);
  const [first, second] = [traceAt(1), traceAt(2)];
  await world.save(first, second);
  await world.settle();
  world.clock.now = Date.parse("2026-10-03T06:00:00Z");
  const before = await itemsOf(`${world.project}#hours`);

  for (const { trace_id, started_at } of [first, second]) {
    await deleteRow(database, rowKeyIn(world.project, trace_id, started_at, 0));
  }
  await world.settle();

  expect(await world.total()).toBe(0);
  expect(await world.figures(...theDay, "week")).toMatchObject([{ trace_count: 2 }]);
  expect(await itemsOf(`${world.project}#hours`)).toEqual(before);
});

test("an expired trace id that is sent again is counted again, in addition to the history", async () => {
  const world = analyticsWorld(database, 1);
  const trace = traceAt(1);
  await world.save(trace);
  await world.settle();
  world.clock.now = Date.parse("2026-10-03T06:00:00Z");

  await world.save(trace);
  await world.settle();

  expect(await world.total()).toBe(1);
  expect(await world.figures(...theDay)).toMatchObject([{ trace_count: 2 }]);
});

test("the staleness marker of an expired hour is removed without a read of its rows", async () => {
  const world = analyticsWorld(database, 1);
  await world.pending.mark(world.project, `${hour}#2026-10-01`);
  const watched = watchedDatabase(database);

  await world.sweep();
  const isDone = await followerOf(watched, () => world.clock.now).rollups.refresh(keyOf(world, "2026-10-01"));

  expect(await pendingOf(world)).toEqual([]);
  expect(isDone).toBe(true);
  expect(watched.calls).toEqual([]);
});
