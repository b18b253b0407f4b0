import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesIn } from "./imports.ts";

const pages = ["*.md", "docs/*.md", "lib/**/*.md", "infra/*.md", "infra/package/*.md", "test/*.md"].flatMap((pattern) =>
  globSync(pattern),
);
const sources = filesIn("lib", "functions", "infra", "test");

/** Paths of code that a page writes as code; paths with placeholders are none. */
const namedFiles = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.ts)`/gu)].map(([, path = ""]) => path);

/** Targets of a page's links within the repository, without anchors. */
const linkedFiles = (text: string): readonly string[] =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/gu)].map(([, target = ""]) => target);

/** Links of a page to a heading, as the page's path and the heading's anchor. */
const linkedHeadings = (page: string, text: string): readonly (readonly [string, string])[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]*\.md)?#([^)]+)\)/gu)].map(([, target, anchor = ""]) => [
    target === undefined ? page : join(dirname(page), target),
    anchor,
  ]);

/** Anchors that GitHub gives to the headings of a page. */
const anchorsOf = (page: string): readonly string[] =>
  [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gmu)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe.each(pages)("%s", (page) => {
  const text = readFileSync(page, "utf8");

  test("names and links only files and headings that exist", () => {
    const isSource = (path: string): boolean =>
      sources.includes(join(dirname(page), path)) || sources.some((source) => `/${source}`.endsWith(`/${path}`));

    expect(namedFiles(text).filter((path) => !isSource(path))).toEqual([]);
    expect(linkedFiles(text).filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
    expect(linkedHeadings(page, text).filter(([target, anchor]) => !anchorsOf(target).includes(anchor))).toEqual([]);
  });
});

test("every page of decisions is linked from lib/README.md", () => {
  const decisions = globSync("lib/*/**/README.md");

  expect(linkedFiles(readFileSync("lib/README.md", "utf8"))).toEqual(
    expect.arrayContaining(decisions.map((page) => page.slice("lib/".length))),
  );
});

test("the front page has at most 120 lines and 900 words", () => {
  const text = readFileSync("README.md", "utf8");

  expect(text.split("\n").length).toBeLessThanOrEqual(121);
  expect(text.split(/\s+/u).length).toBeLessThanOrEqual(900);
});
