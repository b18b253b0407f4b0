import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { consolePage } from "../../../infra/functions/console-page.ts";

test("the console is one page that loads nothing, of 60 KB of compressed script at most", () => {
  const page = consolePage();
  const [, script = ""] = /<script>([\s\S]*)<\/script>/u.exec(page) ?? [];

  expect(gzipSync(script).length).toBeGreaterThan(10_000);
  expect(gzipSync(script).length).toBeLessThanOrEqual(60_000);
  expect(page).not.toMatch(/<(?:link|img|iframe)\b|<script[^>]+src=|@import|url\(/u);
});

test("no text of others is ever read as markup", () => {
  expect(consolePage()).not.toMatch(/dangerouslySetInnerHTML:|insertAdjacentHTML|document\.write\(/u);
});
