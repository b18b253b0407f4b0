import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { startBrowser } from "./browser.ts";

/** A browser for the tests of a file. After each test its pages are left: one that is open goes on asking the service. */
export const browserOfFile = (): (() => Browser) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, 120_000);
  afterEach(async () => {
    // A browser of one process may end with a context that is closed.
    const pages = browser.contexts().flatMap((context) => context.pages());
    await Promise.all(pages.filter((page) => page.url() !== "about:blank").map((page) => page.goto("about:blank")));
  });
  afterAll(() => browser.close());
  return () => browser;
};
