import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** A page that somebody opened who is not signed in, and what it has asked for. */
interface OpenedPage {
  readonly page: Page;
  /** Exceptions and messages of errors: none is expected. */
  readonly faults: string[];
  /** Addresses, in order. */
  readonly requests: string[];
}

/** Milliseconds: longer than anything takes on a busy machine. */
const patience = 60_000;

/** Opens an address as somebody would who followed a link. */
export const openedBy = async (
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
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
