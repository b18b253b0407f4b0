import { afterAll, beforeAll, expect, test } from "vitest";
import { detectMutant } from "../catch.ts";
import { mutants } from "../mutants.ts";
import { type MutantTree, mutantTree } from "../tree.ts";

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
