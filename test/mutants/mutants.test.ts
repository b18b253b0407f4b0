import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository } from "../../infra/local/repository.ts";
import { tryToCatch } from "./catch.ts";
import { mutants } from "./mutants.ts";
import { mutated, type MutantTree, mutantTree } from "./tree.ts";

test("every mutant is the code of today without one thing, which is there once", () => {
  const texts = mutants.map((mutant) => {
    const original = readFileSync(join(repository, mutant.file), "utf8");
    return { original, changed: mutated(original, mutant) };
  });

  expect(texts.length).toBeGreaterThanOrEqual(24);
  expect(texts.filter(({ original, changed }) => original === changed)).toEqual([]);
  expect(new Set(mutants.map(({ without }) => without)).size).toBe(mutants.length);
});

let tree: MutantTree;
beforeAll(() => {
  tree = mutantTree();
});
afterAll(() => tree.remove());

const first = mutants.find(({ caughtBy }) => caughtBy === "scores");

test("a mutant is caught by its campaign, which finds nothing in the code as it is", async () => {
  if (first === undefined) throw new Error("No mutant is for the campaign of scores.");
  const same = { ...first, changes: [] };

  tree.grow(first);
  expect(await tryToCatch(tree, first, 1, 20)).toMatchObject({
    kind: "caught",
    by: expect.stringMatching(/^scores seed \d+$/u),
  });
  tree.grow(same);
  expect(await tryToCatch(tree, same, 1, 2)).toEqual({ kind: "alive" });
});
