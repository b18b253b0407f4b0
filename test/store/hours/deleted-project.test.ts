import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectErasers } from "../../../lib/deletion/erase-project.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { itemKey, projectOfKey } from "../../../lib/store/deletion/table-scan.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { storedProject } from "../../support/database/stored-project.ts";
import { isOn } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { analyticsWorld, followerOf, type AnalyticsWorld } from "../traces/analytics-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hour = "2026-10-01T10";

/** A world whose project exists and has a computed hour. */
const worldWithHour = async () => {
  const world = analyticsWorld(database);
  const stored = await storedProject(database, world.project);
  await world.save(someTrace({ started_at: `${hour}:10:00+00:00` }));
  await world.settle();
  return { ...world, stored };
};

/** Requests the deletion of a world's project. */
const deleteProject = async ({ stored, clock }: Awaited<ReturnType<typeof worldWithHour>>): Promise<void> => {
  const { ofProject } = deletionRequests(database, () => clock.now);
  expect(await ofProject(stored, randomUUID(), false)).toBe(true);
};

/** Runs an erase pass over a deleted project. @returns the number of removed items. */
const erase = async ({ project, clock }: AnalyticsWorld): Promise<number> => {
  const now = (): number => clock.now;
  const schedules = { remove: async () => undefined };
  let removed = 0;
  for (const [, eraseKind] of projectErasers(database, schedules, { requestedAt: instantAt(clock.now) }, now))
    for await (const count of eraseKind(project)) if (typeof count === "number") removed += count;
  return removed;
};

/** Returns the sums, counters and markers of a world's project; a cursor that names the project is none of its items. */
const aggregatesOf = async ({ project }: AnalyticsWorld): Promise<readonly string[]> =>
  (await itemsNaming(database, [project])).flatMap(({ table, item, text }) =>
    table === "aggregates" && projectOfKey(v.parse(itemKey, item)) === project ? [text] : [],
  );

test("a sweeper that computes an hour while its project is erased stores nothing of it", async () => {
  const [world, gate] = [await worldWithHour(), pausePoint()];
  const slow = faultyDatabase(database, async (call) => {
    if (isOn("Query", "rows")(call)) await gate.pass();
    return null;
  });
  await world.pending.mark(world.project, `${hour}#-`);
  const sweeping = followerOf(slow, () => world.clock.now).sweep();
  await gate.reached;
  await deleteProject(world);
  await erase(world);
  expect(await erase(world)).toBe(0);

  gate.open();
  await sweeping;

  expect(await aggregatesOf(world)).toEqual([]);
});

test("a stream worker that remembers a project stores no hour of it after its data was erased", async () => {
  const world = await worldWithHour();
  await deleteProject(world);
  await erase(world);
  expect(await erase(world)).toBe(0);

  expect(await world.rollups.refresh({ project: world.project, hour, expiry: "-" })).toBe(true);

  expect(await aggregatesOf(world)).toEqual([]);
});
