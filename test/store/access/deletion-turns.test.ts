import { offsetPage } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deletionEraser } from "../../../lib/deletion/erase-deleted.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import type { Project } from "../../../lib/domain/access/principal.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { numberOfDay, yearKey, yearOf } from "../../../lib/store/traces/keys.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someMonitor } from "../../support/monitors.ts";
import { someTrace } from "../../support/traces/traces.ts";

// Deletions are processed for the whole deployment: each test has tables of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const minute = 60_000;

/** A database connection on which each request takes so many milliseconds of a simulated clock. */
const slowConnection = (milliseconds: number) => {
  const clock = { now: Date.now(), requests: 0 };
  const through = faultyDatabase(database, ({ operation }) => {
    if (operation.includes("(")) return null;
    clock.now += milliseconds;
    clock.requests += 1;
    return null;
  });
  return { clock, through, now: () => clock.now };
};

const organization = async () => {
  const [owner, access] = [randomUUID(), accessStore(database, 1_000)];
  const id = await access.createOrganization("Acme");
  await access.addMember(id, owner, "OWNER");
  return {
    id,
    project: (): Promise<Project> => access.findOrCreateProject(id, randomUUID()),
    remove: (project: Project) => deletionRequests(database).ofProject(project, owner),
    receipts: async () =>
      new Map(
        (await deletionStore(database).ofOrganization(id, offsetPage(1_000, 0))).items.map((each) => [each.id, each]),
      ),
  };
};

const fill = async ({ id }: Project, traces: number): Promise<void> => {
  await saveTraces(
    database,
    id,
    Array.from({ length: traces }, () => someTrace()),
  );
};

test("small deletions make progress beside a large one and a failing one in sweeps of one second", async () => {
  const tenant = await organization();
  const [large, poisoned] = [await tenant.project(), await tenant.project()];
  const small = await Promise.all(Array.from({ length: 8 }, tenant.project));
  await fill(large, 90);
  await monitorStore(database).create(someMonitor(poisoned.id));
  await fill(poisoned, 1);
  for (const project of small) await fill(project, 1);
  for (const project of [large, poisoned, ...small]) await tenant.remove(project);
  const { clock, through, now } = slowConnection(5);
  const failingSchedules = {
    remove: async (): Promise<void> => {
      throw new Error("The Scheduler refuses.");
    },
  };

  let [sweeps, failures] = [0, 0];
  const areSmallDeletionsDone = async () => {
    const receipts = await tenant.receipts();
    const areEmpty = small.every(({ id }) => typeof receipts.get(id)?.emptySince === "number");
    // The parts of the failing deletion that can be removed are removed.
    return areEmpty && receipts.get(poisoned.id)?.removed["traces"] === 2;
  };
  for (; sweeps < 12 && !(await areSmallDeletionsDone()); sweeps += 1) {
    clock.now += minute;
    await deletionEraser(
      through,
      failingSchedules,
      now,
    )(1_000).catch((error: unknown) => {
      if (!String(error).includes("Deletions that could not continue: 1.")) throw error;
      failures += 1;
    });
  }

  const receipts = await tenant.receipts();
  expect([await areSmallDeletionsDone(), failures > 0]).toEqual([true, true]);
  expect(receipts.get(poisoned.id)?.emptySince).toBeNull();
});

test("the deletion with the oldest turn is processed first, whatever the result of that turn", async () => {
  const tenant = await organization();
  const projects = await Promise.all(Array.from({ length: 6 }, tenant.project));
  for (const project of projects) {
    await fill(project, 2);
    await tenant.remove(project);
  }
  const { clock, through, now } = slowConnection(300);
  const erase = deletionEraser(through, { remove: async () => undefined }, now);

  const turns: number[] = [];
  for (let sweep = 0; sweep < 6; sweep += 1) {
    clock.now += 4 * minute;
    await erase(300);
    const receiptsWithWork = [...(await tenant.receipts()).values()].filter(({ workedAt }) => workedAt !== null);
    turns.push(receiptsWithWork.length);
  }

  // When the time is over at once, a sweep processes its first deletion and those that start beside it.
  expect(turns.at(-1)).toBe(6);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
});

test("a pass that is longer than a turn is completed over several turns", async () => {
  const tenant = await organization();
  const project = await tenant.project();
  await fill(project, 12);
  await tenant.remove(project);
  const { clock, through, now } = slowConnection(40);
  const erase = deletionEraser(through, { remove: async () => undefined }, now);

  const requests: number[] = [];
  for (; requests.length < 20 && (await tenant.receipts()).get(project.id)?.emptySince === null;) {
    clock.now += minute;
    clock.requests = 0;
    await erase(1_000);
    requests.push(clock.requests);
  }

  const receipt = (await tenant.receipts()).get(project.id);
  expect(receipt?.emptySince).not.toBeNull();
  expect(receipt?.removed).toMatchObject({ traces: 24 });
  // A turn ends at its deadline except for the request batch in progress: no turn completes a whole pass.
  expect(Math.max(...requests)).toBeLessThan(75);
  expect(requests.length).toBeGreaterThan(3);
});

test.each([
  { end: "dies", fault: "crash-before", least: 20 },
  { end: "fails", fault: "server-error", least: 35 },
] as const)(
  "the items that a worker removed before it $end are reported, except those of unfinished requests",
  async ({ fault, least: minRemovedTraces }) => {
    const tenant = await organization();
    const project = await tenant.project();
    await fill(project, 60);
    await tenant.remove(project);
    let [at, rows] = [Date.now(), 0];
    const worker = faultyDatabase(database, ({ operation, input }) => {
      if (operation.includes("(")) return null;
      at += 20;
      const isRemoval = operation === "BatchWriteItem" && Object.hasOwn(input["RequestItems"] ?? {}, "rows");
      if (isRemoval) rows += 1;
      return isRemoval && rows > 45 ? fault : null;
    });

    const pass = deletionEraser(worker, { remove: async () => undefined }, () => at)(minute);

    await expect(pass).rejects.toThrow("Deletions that could not continue: 1.");
    const reportedItems = (await tenant.receipts()).get(project.id)?.removed["traces"] ?? 0;
    // Each trace has two items.
    expect(reportedItems).toBeGreaterThanOrEqual(2 * minRemovedTraces);
  },
);

test("a receipt names the kinds of items that a worker removed before the kind in which it died", async () => {
  const tenant = await organization();
  const project = await tenant.project();
  await monitorStore(database).create(someMonitor(project.id));
  await fill(project, 1);
  await tenant.remove(project);
  const mortal = faultyDatabase(database, ({ operation, input }) =>
    operation === "BatchWriteItem" && Object.hasOwn(input["RequestItems"] ?? {}, "bodies") ? "crash-after" : null,
  );

  // The clock stands still: no interval between two reports ends. A monitor has two items, itself and the count.
  await deletionEraser(mortal, { remove: async () => undefined }, () => 1)(minute).catch(() => undefined);

  expect(mortal.crashed).toBe(true);
  expect((await tenant.receipts()).get(project.id)?.removed).toEqual({ monitors: 2 });
});

test("days without traces are checked once, and leave the list when no request can write to them any more", async () => {
  const tenant = await organization();
  const project = await tenant.project();
  await fill(project, 1);
  const days = Array.from({ length: 1_500 }, (_, index) => new Date(index * 86_400_000).toISOString().slice(0, 10));
  for (const [year, daysOfYear] of Map.groupBy(days, yearOf)) {
    await database.client.send(
      new UpdateCommand({
        TableName: "rows",
        Key: yearKey(project.id, year),
        UpdateExpression: "ADD n :numbers",
        ExpressionAttributeValues: { ":numbers": new Set(daysOfYear.map(numberOfDay)) },
      }),
    );
  }
  await tenant.remove(project);
  const { clock, through, now } = slowConnection(1);
  const erase = deletionEraser(through, { remove: async () => undefined }, now);
  const listedDays = async () => (await traceDays(database).list(project.id, true)).length;

  await erase(400);
  const [early, young] = [await tenant.receipts(), await listedDays()];
  clock.now += proofMilliseconds;
  const before = clock.now;
  for (let sweep = 0; sweep < 20 && (await listedDays()) > 1; sweep += 1) await erase(400);
  const took = clock.now - before;
  clock.requests = 0;
  await erase(minute);

  expect(early.get(project.id)).toMatchObject({ emptySince: null });
  expect(young).toBe(1_501);
  expect(await listedDays()).toBe(1);
  expect(took).toBeLessThan(3_000);
  expect(clock.requests).toBeLessThan(100);
  expect((await tenant.receipts()).get(project.id)?.emptySince).not.toBeNull();
});
