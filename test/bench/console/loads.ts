import type { Browser } from "playwright-core";
import { goSignedIn } from "../../support/browser/browser.ts";
import type { RunningService } from "../../support/service/service.ts";

/** Network of a slow phone: 1.6 Mbit/s and 150 ms for each round trip. */
const slowNetwork = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
} as const;

/** Script that waits for an element and resolves with the milliseconds since the document was requested. */
const timeOf = (selector: string): string => `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)}) === null) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  };
  look();
})`;

/** Script that describes what the page has loaded: bytes on the wire, and paths of requests. */
const loaded = `(() => {
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const isFile = ({ name }) => name.includes("/console");
  const bytesOf = (list) => list.reduce((sum, { transferSize }) => sum + transferSize, 0);
  return {
    fileBytes: bytesOf(entries.filter(isFile)),
    files: entries.filter(isFile).length,
    dataBytes: bytesOf(entries.filter((entry) => !isFile(entry))),
    requests: entries.filter((entry) => !isFile(entry)).length,
  };
})()`;

/** What the first load of a page costs. */
export interface Load {
  readonly fileBytes: number;
  readonly files: number;
  readonly dataBytes: number;
  /** Number of requests to the API. */
  readonly requests: number;
  /** Milliseconds until the first row is painted, on a slow network. */
  readonly firstRow: number;
}

/** Loads a page with an empty cache, on a slow network, until it is quiet. */
export const measureLoad = async (
  browser: Browser,
  service: RunningService,
  hash: string,
  selector: string,
): Promise<Load> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await goSignedIn(page, service, "/health");
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await session.send("Network.emulateNetworkConditions", slowNetwork);
  await page.goto(`${service.baseUrl}/console${hash}`, { waitUntil: "commit" });
  const firstRow = await page.evaluate<number>(timeOf(selector));
  await page.waitForLoadState("networkidle");
  const load = await page.evaluate<Omit<Load, "firstRow">>(loaded);
  await page.close();
  return { ...load, firstRow };
};
