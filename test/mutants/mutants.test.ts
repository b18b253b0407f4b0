import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../infra/local/repository.ts";
import { mutants } from "./mutants.ts";
import { mutated } from "./tree.ts";

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

  const hasTests = (path: string): boolean =>
    path.endsWith(".test.ts")
      ? existsSync(join(repository, path))
      : globSync(`${path}/**/*.test.ts`, { cwd: repository }).length > 0;
  expect(paths.filter((path) => !hasTests(path))).toEqual([]);
  expect(paths.length).toBeGreaterThanOrEqual(100);
});
