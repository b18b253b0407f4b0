import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository } from "../../infra/local/repository.ts";
import { detectMutant } from "./catch.ts";
import { mutants } from "./mutants.ts";
import { mutated, type MutantTree, mutantTree } from "./tree.ts";

test("every text that a mutant replaces occurs exactly once in today's sources", () => {
  const texts = mutants.map((mutant) => {
    const original = readFileSync(join(repository, mutant.file), "utf8");
    return { original, changed: mutated(original, mutant) };
  });

  expect(texts.length).toBeGreaterThanOrEqual(24);
  expect(texts.filter(({ original, changed }) => original === changed)).toEqual([]);
  expect(new Set(mutants.map(({ without }) => without)).size).toBe(mutants.length);
});

test("the tests that must detect a mutant exist", () => {
  const paths = mutants.flatMap(({ caughtBy }) => (typeof caughtBy === "string" ? [] : caughtBy));

  expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  expect(paths.length).toBeGreaterThanOrEqual(100);
});

let tree: MutantTree;
beforeAll(() => {
  tree = mutantTree();
});
afterAll(() => tree.remove());

const first = mutants.find(({ caughtBy }) => caughtBy === "scores");

test("a campaign detects its mutant and finds no violation in the unchanged sources", async () => {
  if (first === undefined) throw new Error("No mutant is for the campaign of scores.");
  const same = { ...first, changes: [] };

  tree.apply(first);
  expect(await detectMutant(tree, first, 1, 20)).toMatchObject({
    kind: "caught",
    by: expect.stringMatching(/^scores seed \d+$/u),
  });
  tree.apply(same);
  expect(await detectMutant(tree, same, 1, 2)).toEqual({ kind: "alive" });
});
