import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import type { HourKey } from "../../../lib/store/hours/keys.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { markerTurnsCursor } from "../../../lib/store/hours/fair-turns.ts";
import { sweepHours, type HourSweep } from "../../../lib/maintenance/sweep-hours.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

// A sweep processes the staleness markers of all projects: each test has tables of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const start = Date.parse("2026-10-01T12:00:00Z");
const [busy, small, last] = ["00000000-busy", "88888888-small", "ffffffff-last"];
const hourAt = (number: number): string => `${new Date(start - number * 3_600_000).toISOString().slice(0, 13)}#-`;

/** Marked hours, each of which takes a second to compute, and a sweep with a time budget in milliseconds. */
const setUp = (compute: (key: HourKey) => boolean) => {
  const clock = { now: start };
  const now = (): number => clock.now;
  const [pending, cursor] = [pendingMarkers(database, "hours"), cursorStore(database, markerTurnsCursor, now)];
  const computed: string[] = [];
  const refresh = async (key: HourKey): Promise<boolean> => {
    clock.now += 1_000;
    if (!compute(key)) return false;
    computed.push(key.project);
    return true;
  };
  return {
    computed,
    cursor,
    mark: (project: string, hours: number) =>
      Promise.all(Array.from({ length: hours }, (_, number) => pending.mark(project, hourAt(number)))),
    sweep: (budget: number): Promise<HourSweep> => sweepHours({ refresh }, pending, cursor, budget, now),
  };
};

test("a project with more stale hours than a sweep can compute does not block other projects, whatever their ids", async () => {
  const { computed, mark, sweep } = setUp(({ project }) => project !== busy);
  await mark(busy, 300);
  await mark(small, 1);
  await mark(last, 30);

  const sweeps: HourSweep[] = [];
  for (let number = 0; number < 8; number += 1) sweeps.push(await sweep(10_000));

  expect(sweeps.every((result) => result.left)).toBe(true);
  expect(computed.filter((project) => project === small)).toHaveLength(1);
  expect(computed.filter((project) => project === last)).toHaveLength(30);
});

test("hours that cannot be computed do not block later hours of the same project", async () => {
  const attemptedHours = new Set<string>();
  const { mark, sweep } = setUp(({ hour }) => {
    attemptedHours.add(hour);
    throw new Error("broken");
  });
  await mark(busy, 70);

  for (let number = 0; number < 20; number += 1) await sweep(4_000).catch(() => undefined);

  expect(attemptedHours.size).toBe(70);
});

test("a sweep with enough time computes every stale hour once", async () => {
  const { computed, mark, sweep } = setUp(() => true);
  await mark(busy, 250);
  await mark(small, 20);
  await mark(last, 21);

  const firstSweep = await sweep(600_000);
  const secondSweep = await sweep(600_000);

  expect(firstSweep).toEqual({ pending: 291, computed: 291, left: false });
  expect(secondSweep).toEqual({ pending: 0, computed: 0, left: false });
  // Eight hours are computed in parallel, of different projects in turn.
  expect(computed.slice(0, 61).filter((project) => project === busy).length).toBeLessThan(30);
});

test("a sweep that has come to its end keeps no names of projects, which may be deleted before the next", async () => {
  const { mark, cursor, sweep } = setUp(() => true);
  await mark(busy, 250);
  await mark(small, 1);

  const cut = await sweep(10_000);
  const cutAt = await cursor.get();
  await sweep(600_000);

  expect(cut.left).toBe(true);
  expect(cutAt).toContain(busy);
  expect(await cursor.get()).toBe(null);
});

test("an hour whose computation kills the worker is moved behind the others", async () => {
  const computed: string[] = [];
  const sweep = async (): Promise<void> => {
    const faultyDb = faultyDatabase(database, () => null);
    const refresh = async ({ project }: HourKey): Promise<boolean> => {
      if (project === busy) faultyDb.crash();
      else computed.push(project);
      return true;
    };
    const cursor = cursorStore(faultyDb, markerTurnsCursor, () => start);
    await sweepHours({ refresh }, pendingMarkers(faultyDb, "hours"), cursor, 0, () => start);
  };
  const { mark } = setUp(() => true);
  await mark(busy, 1);
  await mark(small, 1);

  const dying = sweep();
  await expect(dying).rejects.toThrow("died");
  await sweep();

  expect(computed).toEqual([small]);
});

test("foreign items between the staleness markers do not block any hour", async () => {
  const { computed, mark, sweep } = setUp(() => true);
  const foreign = Array.from({ length: 30 }, (_, number) => `00000000-${String(number).padStart(2, "0")}#later`);
  for (const sk of foreign)
    await database.client.send(
      new PutCommand({ TableName: "aggregates", Item: { pk: "pending#hours", sk, later: true } }),
    );
  await mark(small, 2);

  await sweep(60_000);

  expect(computed).toEqual([small, small]);
});
