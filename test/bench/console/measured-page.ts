import type { Browser, CDPSession, Page } from "playwright-core";
import { openConsole } from "../../support/browser/browser.ts";
import type { RunningService } from "../../support/service/service.ts";

/** A page with the session of its browser tab, for measurements. */
export interface MeasuredPage {
  readonly page: Page;
  readonly session: CDPSession;
  /** Opens another location of the console and waits for an element. */
  readonly show: (hash: string, selector: string) => Promise<void>;
}

/** Opens the console at an empty page, signed in. */
export const openMeasured = async (browser: Browser, service: RunningService): Promise<MeasuredPage> => {
  const { page } = await openConsole(browser, service, "#/monitors");
  await page.waitForLoadState("networkidle");
  const session = await page.context().newCDPSession(page);
  // Ticks of the thread: other processes of the machine do not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const show = async (hash: string, selector: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator(selector).first().waitFor();
  };
  return { page, session, show };
};

/** Reads one of Chrome's performance metrics; times are in seconds. */
export const metricOf = async (session: CDPSession, name: "TaskDuration" | "JSHeapUsedSize"): Promise<number> => {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
};

/** Measures the milliseconds of CPU that the page's main thread takes while something is done. */
export const cpuOf = async (session: CDPSession, work: () => Promise<unknown>): Promise<number> => {
  const before = await metricOf(session, "TaskDuration");
  await work();
  return ((await metricOf(session, "TaskDuration")) - before) * 1_000;
};
