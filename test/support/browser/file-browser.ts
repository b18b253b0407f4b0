import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { startBrowser } from "./browser.ts";

/**
 * Provides a browser for the tests of a file. Pages are closed after each test, as an open page keeps sending requests
 * to the service.
 */
export const browserOfFile = (): (() => Browser) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 120_000);
  afterEach(async () => {
    // A single-process browser may exit when a context is closed, so only pages are closed.
    const pages = browser.contexts().flatMap((context) => context.pages());
    await Promise.all(pages.filter((page) => page.url() !== "about:blank").map((page) => page.goto("about:blank")));
  });
  afterAll(() => browser.close());
  return () => browser;
};
