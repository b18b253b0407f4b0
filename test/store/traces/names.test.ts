import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eraseDays } from "../../../lib/store/garbage/erase.ts";
import { projectNames } from "../../../lib/store/traces/facts/names.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const namesOf = (models: readonly string[], tools: readonly string[] = []) => ({
  models: new Set(models),
  tools: new Set(tools),
});

const many = (count: number, prefix = "m"): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Expects `count` names with the numbers from 1 on, each used once. */
const expectConsecutiveNumbers = (names: ReadonlyMap<string, number>, count: number): void => {
  expect([...names.values()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
};

test("a name has the same number in every process", async () => {
  const project = randomUUID();
  const first = await projectNames(database).numbers(project, namesOf(["gpt-5.4", "claude"], ["search"]));
  const otherProcess = projectNames(database);
  const second = await otherProcess.numbers(project, namesOf(["claude", "gemini"], ["claude", "search"]));

  expect(["gpt-5.4", "claude"].map(first.model)).toEqual([1, 2]);
  expect(["gpt-5.4", "claude", "gemini"].map(second.model)).toEqual([1, 2, 3]);
  expect(["search", "claude", "gemini"].map(second.tool)).toEqual([1, 2, 0]);
});

test("a process that does not know a project's latest names gives a new name the next free number", async () => {
  const project = randomUUID();
  const [first, second] = [projectNames(database), projectNames(database)];
  for (const names of [first, second]) await names.numbers(project, namesOf(["a"], ["x"]));

  await first.numbers(project, namesOf(["a", "b"], ["x", "y"]));
  const { model, tool } = await second.numbers(project, namesOf(["a", "c"], ["x", "z"]));

  expect(["a", "b", "c"].map(model)).toEqual([1, 2, 3]);
  expect(["x", "y", "z"].map(tool)).toEqual([1, 2, 3]);
});

test("a process reads a name's number once, and reads nothing for a trace without names", async () => {
  const project = randomUUID();
  const watched = watchedDatabase(database);
  const names = projectNames(watched);
  const operations = () => watched.calls.splice(0).map(({ operation }) => operation);

  await names.numbers(project, namesOf([]));
  const forNone = operations();
  await Promise.all(Array.from({ length: 10 }, () => names.numbers(project, namesOf(["a", "b"], ["c"]))));
  const forNew = operations();
  await names.numbers(project, namesOf(["b"], ["c"]));

  expect(forNone).toEqual([]);
  expect(forNew.toSorted()).toEqual(["Query", "UpdateItem", "UpdateItem"]);
  expect(operations()).toEqual([]);
});

test("processes that add names concurrently lose no name and use no number twice", async () => {
  const project = randomUUID();
  const processes = Array.from({ length: 8 }, () => projectNames(database));

  await Promise.all(
    processes.flatMap((names, index) => [
      names.numbers(project, namesOf(many(40), many(5, `tool-${index}`))),
      names.numbers(project, namesOf(many(60).slice(index))),
    ]),
  );
  const { models, tools } = await projectNames(database).list(project);

  expectConsecutiveNumbers(models, 60);
  expectConsecutiveNumbers(tools, 40);
  for (const names of processes) {
    const { model } = await names.numbers(project, namesOf(many(60)));
    expect(many(60).map(model)).toEqual(many(60).map((name) => models.get(name)));
  }
});

test("a project numbers 1,000 models and 1,000 tools; further names and names over 200 characters share the number 0", async () => {
  const project = randomUUID();
  const names = projectNames(database);
  const [long, longest] = ["x".repeat(201), "\u{1f600}".repeat(200)];

  const first = await names.numbers(project, namesOf([longest, long, ...many(999)]));
  const second = await projectNames(database).numbers(project, namesOf(["late", "m-998"], ["tool"]));
  const { models, tools } = await names.list(project);

  expect([longest, long, "m-998"].map(first.model)).toEqual([1, 0, 1_000]);
  expect(["late", "m-998"].map(second.model)).toEqual([0, 1_000]);
  expectConsecutiveNumbers(models, 1_000);
  expectConsecutiveNumbers(tools, 1);
});

test("names are erased with their project", async () => {
  const project = randomUUID();
  await projectNames(database).numbers(project, namesOf(many(60), ["tool"]));

  for await (const _ of eraseDays(database)(project)) void _;

  expect(await projectNames(database).list(project)).toEqual({ models: new Map(), tools: new Map() });
});
