import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { startBrowser } from "./browser.ts";

/** Longest page text of a failed test in the output, in characters. */
const longestText = 4_000;

/** Writes what a page showed when its test failed: a time-out tells only what it did not show. */
const printPage = async (page: Page): Promise<void> => {
  const text = await page.innerText("body", { timeout: 5_000 }).catch(String);
  console.error(`The page ${page.url()} showed:\n${text.slice(0, longestText)}`);
};

/**
 * Provides a browser for the tests of a file. Pages are closed after each test, as an open page keeps sending requests
 * to the service.
 */
export const browserOfFile = (): (() => Browser) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 120_000);
  afterEach(async ({ task }) => {
    // A single-process browser may exit when a context is closed, so only pages are closed.
    const pages = browser.contexts().flatMap((context) => context.pages());
    const open = pages.filter((page) => page.url() !== "about:blank");
    if (task.result?.state === "fail") await Promise.all(open.map((page) => printPage(page)));
    await Promise.all(open.map((page) => page.goto("about:blank")));
  });
  afterAll(() => browser.close());
  return () => browser;
};
