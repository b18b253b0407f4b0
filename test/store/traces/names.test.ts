import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eraseDays } from "../../../lib/store/remains/erase.ts";
import { projectNames } from "../../../lib/store/traces/facts/names.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const wanted = (models: readonly string[], tools: readonly string[] = []) => ({
  models: new Set(models),
  tools: new Set(tools),
});

const many = (count: number, prefix = "m"): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Every name has one number, and every number from 1 on is a name's. */
const expectWhole = (names: ReadonlyMap<string, number>, count: number): void => {
  expect([...names.values()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
};

test("a name keeps its number, whichever process asks", async () => {
  const project = randomUUID();
  const first = await projectNames(database).numbers(project, wanted(["gpt-5.4", "claude"], ["search"]));
  const other = projectNames(database);
  const second = await other.numbers(project, wanted(["claude", "gemini"], ["claude", "search"]));

  expect(["gpt-5.4", "claude"].map(first.model)).toEqual([1, 2]);
  expect(["gpt-5.4", "claude", "gemini"].map(second.model)).toEqual([1, 2, 3]);
  expect(["search", "claude", "gemini"].map(second.tool)).toEqual([1, 2, 0]);
});

test("a process asks once for a name, and not at all where a trace has none", async () => {
  const project = randomUUID();
  const watched = watchedDatabase(database);
  const names = projectNames(watched);
  const operations = () => watched.calls.splice(0).map(({ operation }) => operation);

  await names.numbers(project, wanted([]));
  const forNone = operations();
  await Promise.all(Array.from({ length: 10 }, () => names.numbers(project, wanted(["a", "b"], ["c"]))));
  const forNew = operations();
  await names.numbers(project, wanted(["b"], ["c"]));

  expect(forNone).toEqual([]);
  expect(forNew.toSorted()).toEqual(["Query", "UpdateItem", "UpdateItem"]);
  expect(operations()).toEqual([]);
});

test("processes that add names at the same time lose none and give none twice", async () => {
  const project = randomUUID();
  const processes = Array.from({ length: 8 }, () => projectNames(database));

  await Promise.all(
    processes.flatMap((names, index) => [
      names.numbers(project, wanted(many(40), many(5, `tool-${index}`))),
      names.numbers(project, wanted(many(60).slice(index))),
    ]),
  );
  const { models, tools } = await projectNames(database).list(project);

  expectWhole(models, 60);
  expectWhole(tools, 40);
  for (const names of processes) {
    const { model } = await names.numbers(project, wanted(many(60)));
    expect(many(60).map(model)).toEqual(many(60).map((name) => models.get(name)));
  }
});

test("a project has numbers for 1,000 models and as many tools; later names, and those too long, share one", async () => {
  const project = randomUUID();
  const names = projectNames(database);
  const [long, longest] = ["x".repeat(201), "\u{1f600}".repeat(200)];

  const first = await names.numbers(project, wanted([longest, long, ...many(999)]));
  const second = await projectNames(database).numbers(project, wanted(["late", "m-998"], ["tool"]));
  const { models, tools } = await names.list(project);

  expect([longest, long, "m-998"].map(first.model)).toEqual([1, 0, 1_000]);
  expect(["late", "m-998"].map(second.model)).toEqual([0, 1_000]);
  expectWhole(models, 1_000);
  expectWhole(tools, 1);
});

test("names go with their project", async () => {
  const project = randomUUID();
  await projectNames(database).numbers(project, wanted(many(60), ["tool"]));

  for await (const _ of eraseDays(database)(project)) void _;

  expect(await projectNames(database).list(project)).toEqual({ models: new Map(), tools: new Map() });
});
