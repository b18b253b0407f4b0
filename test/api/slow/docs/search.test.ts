import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { flawsOf } from "../../../support/browser/accessibility.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { openPage } from "../../../support/browser/page.ts";

const { baseUrl } = inject("service");
const browser = browserOfFile();

/** Searches by keyboard alone, from anywhere on a page. @returns addresses of the results */
const search = async (page: Page, text: string): Promise<readonly string[]> => {
  await page.keyboard.press("/");
  await page.keyboard.insertText(text);
  await page.waitForFunction(() => /place|Nothing/u.test(document.querySelector("#found")?.textContent ?? ""));
  return await page.locator("#hits a").evaluateAll((links) =>
    links.map((link) => {
      const { pathname, hash } = new URL((link as HTMLAnchorElement).href);
      return `${pathname}${hash}`;
    }),
  );
};

/** Words that readers search for, and the place that Enter opens. */
const places: readonly (readonly [text: string, place: string])[] = [
  ["webhook", "/docs#events"],
  ["webhooks", "/docs#events"],
  ["slack", "/docs#events"],
  ["cron", "/docs/monitors#createMonitor"],
  ["cascade", "/docs/schemas#schema-JudgeCascade"],
  ["pagination", "/docs#pagination"],
  ["paginating", "/docs#pagination"],
  ["rate limit", "/docs#rate-limits"],
  ["429", "/docs#rate-limits"],
  ["idempotency", "/docs#idempotency"],
  ["retention", "/docs#retention"],
  ["trace_deleted", "/docs#error-trace_deleted"],
  ["alert.raised", "/docs#event-alert-raised"],
  ["sampling_rate", "/docs/runs#createTraceRun"],
  ["POST /traces", "/docs/traces#createTrace"],
  ["crewai", "/docs/crewai#crewai"],
  ["gate", "/docs/experiments-and-gates#experiments-and-gates"],
  ["dataset", "/docs/datasets#dataset-items"],
  ["SpanInput", "/docs/schemas#schema-SpanInput"],
];

test.each(["/docs", "/docs/runs"])("words of every kind lead from %s to their place, by keyboard", async (path) => {
  const { page, faults, requests } = await openPage(browser(), `${baseUrl}${path}`);
  const opened: [string, string][] = [];
  for (const [text, place] of places) {
    const [first] = await search(page, text);
    opened.push([text, first ?? "nothing"]);
    if (first !== place) {
      await page.reload();
      continue;
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(`${baseUrl}${place}`);
    expect(await page.locator(":target").count()).toBe(1);
    expect(await page.locator("#hits").isVisible()).toBe(false);
  }

  expect(opened).toEqual(places);
  expect(faults).toEqual([]);
  expect(requests.filter((url) => !/\/docs(?:\/[\w-]+)?(?:#.*)?$|\/docs\/search\.json$/u.test(url))).toEqual([]);
});

test("arrow keys go through the results, and Escape returns to the table of contents", async () => {
  const { page, faults } = await openPage(browser(), `${baseUrl}/docs`);
  const [, second] = await search(page, "monitor");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const focused = await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href);
  const violations = await flawsOf(page);
  await page.keyboard.press("Escape");

  expect(focused).toBe(`${baseUrl}${second}`);
  expect(violations).toEqual([]);
  expect(await page.locator("#contents").isVisible()).toBe(true);
  expect(await page.locator("#hits").isVisible()).toBe(false);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("query");
  expect(faults).toEqual([]);
});

test("a search that finds nothing says so, and Enter stays on the page", async () => {
  const { page } = await openPage(browser(), `${baseUrl}/docs/traces`, { viewport: { width: 360, height: 740 } });
  const results = await search(page, "zzzz");
  await page.keyboard.press("Enter");

  expect(results).toEqual([]);
  expect(await page.locator("#found").textContent()).toBe("Nothing found.");
  expect(page.url()).toBe(`${baseUrl}/docs/traces`);
});
