import { globSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { consolePage } from "../../../infra/functions/console-page.ts";
import { operations } from "../../../lib/client/operations.ts";

test("the console is one page that loads nothing, of 60 KB of compressed script at most", async () => {
  const page = await consolePage();
  const [, script = ""] = /<script>([\s\S]*)<\/script>/u.exec(page) ?? [];

  expect(gzipSync(script).length).toBeGreaterThan(10_000);
  expect(gzipSync(script).length).toBeLessThanOrEqual(60_000);
  expect(page).not.toMatch(/<(?:link|img|iframe)\b|<script[^>]+src=|@import|url\(/u);
});

test("no text of users is ever read as markup", async () => {
  expect(await consolePage()).not.toMatch(/dangerouslySetInnerHTML:|insertAdjacentHTML|document\.write\(/u);
});

test("the page has those of the client's operations that the console calls, and not all", async () => {
  const page = await consolePage();
  const sources = globSync("lib/console/**/*.{ts,tsx}").map((path) => readFileSync(path, "utf8"));
  const memberNames = sources.flatMap((text) => Array.from(text.matchAll(/\.(\w+)\b/gu), ([, name]) => name ?? ""));
  const expected = new Set(memberNames.filter((name) => Object.hasOwn(operations, name)));
  const [bundledIds, absent] = [Object.keys(operations), [...expected]].map((ids) =>
    ids.filter((id) => page.includes(`${id}:["`)),
  );

  expect(expected.size).toBeGreaterThan(50);
  expect(absent).toEqual([...expected]);
  expect(bundledIds?.length).toBeLessThan(Object.keys(operations).length);
});
