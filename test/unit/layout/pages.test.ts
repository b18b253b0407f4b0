import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesIn } from "./imports.ts";

const pages = ["README.md", "lib/README.md", "infra/README.md", "test/README.md"];
const places = ["lib", "functions", "infra", "test"].flatMap((folder) => filesIn(folder));

/** Paths of code that a page writes as code; what a reader has to fill in is none. */
const named = (page: string): readonly string[] =>
  [...readFileSync(page, "utf8").matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.ts)`/gu)].map(([, path = ""]) => path);

describe.each(pages)("%s", (page) => {
  test("names no file that is not there", () => {
    const there = (path: string): boolean =>
      places.includes(join(dirname(page), path)) || places.some((place) => `/${place}`.endsWith(`/${path}`));

    expect(named(page).length).toBeGreaterThan(0);
    expect(named(page).filter((path) => !there(path))).toEqual([]);
  });
});
