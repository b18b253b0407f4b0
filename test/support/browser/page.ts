import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { stepTimeout } from "../vitest/limits.ts";

/** A page opened without signing in, with the requests it has made. */
interface OpenedPage {
  readonly page: Page;
  /** Exceptions and error messages; normally empty. */
  readonly faults: string[];
  /** Requested addresses, in order. */
  readonly requests: string[];
}

/** Opens an address as if a user had followed a link. */
export const openPage = async (
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> => {
  // Without a locale the packaged browser has `en-US@posix`, which is no language tag.
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(stepTimeout);
  const faults: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  return { page, faults, requests };
};
