import { pageAt } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { erasing } from "../../../lib/deletion/erase-deleted.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import type { Project } from "../../../lib/domain/access/principal.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { daysKey } from "../../../lib/store/traces/keys.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someMonitor } from "../../support/monitors.ts";
import { someTrace } from "../../support/traces/traces.ts";

// Deletions are of the whole deployment: each test has tables of its own.
let database: TestDatabase;
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const minute = 60_000;

/** What takes its time: each request so many milliseconds of a clock that nothing else moves. */
const slowly = (milliseconds: number) => {
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
    project: (): Promise<Project> => access.projectNamed(id, randomUUID()),
    remove: (project: Project) => deletionRequests(database).ofProject(project, owner),
    receipts: async () =>
      new Map(
        (await deletionStore(database).ofOrganization(id, pageAt(1_000, 0))).items.map((each) => [each.id, each]),
      ),
  };
};

const fill = async ({ id }: Project, traces: number): Promise<void> => {
  for (let count = 0; count < traces; count += 1) await traceStore(database, 0).save(id, someTrace());
};

test("small deletions are done beside a large one and one that always fails, with a second for each sweep", async () => {
  const own = await organization();
  const [large, poisoned] = [await own.project(), await own.project()];
  const small = await Promise.all(Array.from({ length: 8 }, own.project));
  await fill(large, 90);
  await monitorStore(database).create(someMonitor(poisoned.id));
  await fill(poisoned, 1);
  for (const project of small) await fill(project, 1);
  for (const project of [large, poisoned, ...small]) await own.remove(project);
  const { clock, through, now } = slowly(5);
  const refused = {
    remove: async (): Promise<void> => {
      throw new Error("The Scheduler refuses.");
    },
  };

  let [sweeps, failures] = [0, 0];
  const served = async () => {
    const receipts = await own.receipts();
    const areEmpty = small.every(({ id }) => typeof receipts.get(id)?.emptySince === "number");
    // What of the poisoned one does not fail goes too.
    return areEmpty && receipts.get(poisoned.id)?.removed["traces"] === 2;
  };
  for (; sweeps < 12 && !(await served()); sweeps += 1) {
    clock.now += minute;
    await erasing(
      through,
      refused,
      now,
    )(1_000).catch((error: unknown) => {
      if (!String(error).includes("Deletions that could not go on: 1.")) throw error;
      failures += 1;
    });
  }

  const receipts = await own.receipts();
  expect([await served(), failures > 0]).toEqual([true, true]);
  expect(receipts.get(poisoned.id)?.emptySince).toBeNull();
});

test("whose turn was longest ago is first, whatever became of it", async () => {
  const own = await organization();
  const projects = await Promise.all(Array.from({ length: 6 }, own.project));
  for (const project of projects) {
    await fill(project, 2);
    await own.remove(project);
  }
  const { clock, through, now } = slowly(300);
  const erase = erasing(through, { remove: async () => undefined }, now);

  const turns: number[] = [];
  for (let sweep = 0; sweep < 6; sweep += 1) {
    clock.now += 4 * minute;
    await erase(300);
    const worked = [...(await own.receipts()).values()].filter(({ workedAt }) => workedAt !== null);
    turns.push(worked.length);
  }

  // Where the time is over at once, the first of each sweep has its turn, and whoever begins beside it.
  expect(turns.at(-1)).toBe(6);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
});

test("a pass whose turns are too short for it comes to its end all the same", async () => {
  const own = await organization();
  const project = await own.project();
  await fill(project, 12);
  await own.remove(project);
  const { clock, through, now } = slowly(40);
  const erase = erasing(through, { remove: async () => undefined }, now);

  const requests: number[] = [];
  for (; requests.length < 20 && (await own.receipts()).get(project.id)?.emptySince === null;) {
    clock.now += minute;
    clock.requests = 0;
    await erase(1_000);
    requests.push(clock.requests);
  }

  const receipt = (await own.receipts()).get(project.id);
  expect(receipt?.emptySince).not.toBeNull();
  expect(receipt?.removed).toMatchObject({ traces: 24 });
  // A turn ends with the time that there is, but for what it is in the middle of: no pass is made in one.
  expect(Math.max(...requests)).toBeLessThan(75);
  expect(requests.length).toBeGreaterThan(3);
});

test.each([
  { end: "dies", fault: "crash-before", least: 20 },
  { end: "fails", fault: "server-error", least: 35 },
] as const)(
  "what a worker has removed before it $end is told, but for what was under way",
  async ({ fault, least }) => {
    const own = await organization();
    const project = await own.project();
    await fill(project, 60);
    await own.remove(project);
    let [at, rows] = [Date.now(), 0];
    const worker = faultyDatabase(database, ({ operation, input }) => {
      if (operation.includes("(")) return null;
      at += 20;
      const isRemoval = operation === "BatchWriteItem" && Object.hasOwn(input["RequestItems"] ?? {}, "rows");
      if (isRemoval) rows += 1;
      return isRemoval && rows > 45 ? fault : null;
    });

    const pass = erasing(worker, { remove: async () => undefined }, () => at)(minute);

    await expect(pass).rejects.toThrow("Deletions that could not go on: 1.");
    const told = (await own.receipts()).get(project.id)?.removed["traces"] ?? 0;
    // Two items of each trace.
    expect(told).toBeGreaterThanOrEqual(2 * least);
  },
);

test("days without traces are looked at once, and are off the list when nobody can write to them any more", async () => {
  const own = await organization();
  const project = await own.project();
  await fill(project, 1);
  const days = Array.from({ length: 1_500 }, (_, index) => new Date(index * 86_400_000).toISOString().slice(0, 10));
  await database.client.send(
    new UpdateCommand({
      TableName: "rows",
      Key: daysKey(project.id),
      UpdateExpression: "ADD days :days",
      ExpressionAttributeValues: { ":days": new Set(days) },
    }),
  );
  await own.remove(project);
  const { clock, through, now } = slowly(1);
  const erase = erasing(through, { remove: async () => undefined }, now);
  const listed = async () => (await traceDays(database).list(project.id, true)).length;

  await erase(400);
  const [early, young] = [await own.receipts(), await listed()];
  clock.now += proofMilliseconds;
  const before = clock.now;
  for (let sweep = 0; sweep < 20 && (await listed()) > 1; sweep += 1) await erase(400);
  const took = clock.now - before;
  clock.requests = 0;
  await erase(minute);

  expect(early.get(project.id)).toMatchObject({ emptySince: null });
  expect(young).toBe(1_501);
  expect(await listed()).toBe(1);
  expect(took).toBeLessThan(3_000);
  expect(clock.requests).toBeLessThan(100);
  expect((await own.receipts()).get(project.id)?.emptySince).not.toBeNull();
});
