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

const most = 5;

/** A project on a clock of its own. */
const ground = () => {
  const clock = { at: Date.parse("2026-10-01T12:00:00Z") };
  const project = randomUUID();
  const monitors = monitorStore(database, () => clock.at);
  const make = async () => (await monitors.create(someMonitor(project), most)).monitor.id;
  const outcomes = async (count: number): Promise<readonly string[]> => {
    const made = await Promise.allSettled(Array.from({ length: count }, make));
    return made.map((each) => (each.status === "fulfilled" ? "made" : String(each.reason.reason.kind))).toSorted();
  };
  const Key = monitorCountKey(project);
  const counted = async () => (await database.client.send(new GetCommand({ TableName: "monitors", Key }))).Item?.["n"];
  const forgetCount = () => database.client.send(new DeleteCommand({ TableName: "monitors", Key }));
  return { clock, project, monitors, make, outcomes, counted, forgetCount };
};

const twice = (made: number, refused: number): readonly string[] => [
  ...Array<string>(refused).fill("forbidden"),
  ...Array<string>(made).fill("made"),
];

test("of monitors that are made at once a project gets as many as it may have, the first ones too", async () => {
  const { outcomes, counted } = ground();

  expect(await outcomes(12)).toEqual(twice(most, 7));
  expect(await counted()).toBe(most);
});

test("monitors from before there was a count are counted", async () => {
  const { make, outcomes, forgetCount } = ground();
  await inTurn([1, 2, 3], make);
  await forgetCount();

  expect(await outcomes(6)).toEqual(twice(2, 4));
});

test("a monitor that is deleted makes room at once, and one that was deleted by an earlier version within a minute", async () => {
  const { clock, project, monitors, make, outcomes } = ground();
  const [first = "", second = ""] = await inTurn([1, 2, 3, 4, 5], make);

  await monitors.delete(project, first);
  expect(await outcomes(2)).toEqual(twice(1, 1));
  await database.client.send(new DeleteCommand({ TableName: "monitors", Key: monitorKey(project, second) }));
  expect(await outcomes(1)).toEqual(twice(0, 1));
  clock.at += 60_000;
  expect(await outcomes(2)).toEqual(twice(1, 1));
});

test("a project that has more than it may, because it might once, has room when it has fewer", async () => {
  const { clock, project, monitors, outcomes, forgetCount } = ground();
  const made = await inTurn(
    [1, 2, 3, 4, 5, 6, 7],
    async () => (await monitors.create(someMonitor(project), 10)).monitor.id,
  );
  await forgetCount();

  for (const id of made.slice(0, 2)) await monitors.delete(project, id);
  expect(await outcomes(1)).toEqual(twice(0, 1));
  for (const id of made.slice(2, 4)) await monitors.delete(project, id);
  clock.at += 60_000;
  expect(await outcomes(3)).toEqual(twice(2, 1));
});

test("a project's count goes with its monitors", async () => {
  const { project, make, counted } = ground();
  await make();

  for await (const _ of eraseMonitors(database, async () => undefined)(project)) continue;

  expect(await counted()).toBeUndefined();
});
