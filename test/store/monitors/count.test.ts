import { randomUUID } from "node:crypto";
import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eraseMonitors } from "../../../lib/store/monitors/erase.ts";
import { monitorCountKey, monitorKey } from "../../../lib/store/monitors/keys.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { inTurn } from "../../support/in-turn.ts";
import { someMonitor } from "../../support/monitors.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const maxMonitors = 5;

/** The monitors of a new project, with a simulated clock. */
const setUp = () => {
  const clock = { at: Date.parse("2026-10-01T12:00:00Z") };
  const project = randomUUID();
  const monitors = monitorStore(database, () => clock.at);
  const make = async () => (await monitors.create(someMonitor(project), maxMonitors)).monitor.id;
  const outcomes = async (count: number): Promise<readonly string[]> => {
    const results = await Promise.allSettled(Array.from({ length: count }, make));
    return results.map((each) => (each.status === "fulfilled" ? "made" : String(each.reason.reason.kind))).toSorted();
  };
  const Key = monitorCountKey(project);
  const storedCount = async () =>
    (await database.client.send(new GetCommand({ TableName: "monitors", Key }))).Item?.["n"];
  const forgetCount = () => database.client.send(new DeleteCommand({ TableName: "monitors", Key }));
  return { clock, project, monitors, make, outcomes, storedCount, forgetCount };
};

const expectedOutcomes = (created: number, forbidden: number): readonly string[] => [
  ...Array<string>(forbidden).fill("forbidden"),
  ...Array<string>(created).fill("made"),
];

test("concurrent creations never exceed the project's limit of monitors, not even the first ones", async () => {
  const { outcomes, storedCount } = setUp();

  expect(await outcomes(12)).toEqual(expectedOutcomes(maxMonitors, 7));
  expect(await storedCount()).toBe(maxMonitors);
});

test("monitors are counted from their list if there is no counter", async () => {
  const { make, outcomes, forgetCount } = setUp();
  await inTurn([1, 2, 3], make);
  await forgetCount();

  expect(await outcomes(6)).toEqual(expectedOutcomes(2, 4));
});

test("a deleted monitor frees its place at once, and within a minute if its deletion was not counted", async () => {
  const { clock, project, monitors, make, outcomes } = setUp();
  const [first = "", second = ""] = await inTurn([1, 2, 3, 4, 5], make);

  await monitors.delete(project, first);
  expect(await outcomes(2)).toEqual(expectedOutcomes(1, 1));
  await database.client.send(new DeleteCommand({ TableName: "monitors", Key: monitorKey(project, second) }));
  expect(await outcomes(1)).toEqual(expectedOutcomes(0, 1));
  clock.at += 60_000;
  expect(await outcomes(2)).toEqual(expectedOutcomes(1, 1));
});

test("a project above the limit, created when the limit was higher, can add monitors again once it is below", async () => {
  const { clock, project, monitors, outcomes, forgetCount } = setUp();
  const ids = await inTurn(
    [1, 2, 3, 4, 5, 6, 7],
    async () => (await monitors.create(someMonitor(project), 10)).monitor.id,
  );
  await forgetCount();

  for (const id of ids.slice(0, 2)) await monitors.delete(project, id);
  expect(await outcomes(1)).toEqual(expectedOutcomes(0, 1));
  for (const id of ids.slice(2, 4)) await monitors.delete(project, id);
  clock.at += 60_000;
  expect(await outcomes(3)).toEqual(expectedOutcomes(2, 1));
});

test("the monitor count of a project is erased with its monitors", async () => {
  const { project, make, storedCount } = setUp();
  await make();

  for await (const _ of eraseMonitors(database, async () => undefined)(project)) continue;

  expect(await storedCount()).toBeUndefined();
});
