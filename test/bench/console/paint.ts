/**
 * `npm run bench:console`: measures the time until 5,000 spans are painted, their number of nodes, and the longest
 * frame while they are scrolled by script; the same for a list of 50,000 traces with generated pages.
 */
import type { Page } from "playwright-core";
import { createClient } from "../../../lib/client/client.ts";
import type { SpanInput } from "../../../lib/client/interface.ts";
import { openConsole, startBrowser } from "../../support/browser/browser.ts";
import { generateTraces } from "../../support/browser/generated-traces.ts";
import { startService } from "../../support/service/service.ts";

const spans = 5_000;
const traces = 50_000;

/** Number of scrolled frames. */
const frames = 120;

/** Script that measures the milliseconds from the last byte of a reply to the first painted row. */
const paintedAfter = `new Promise((resolve) => {
  const look = () => {
    const row = document.querySelector(".span-row");
    const read = performance.getEntriesByType("resource").filter(({ name }) => name.includes("fields=auto")).at(-1);
    if (row === null || read === undefined) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - read.responseEnd)));
  };
  look();
})`;

/** Script that measures the longest frame in milliseconds while a list is scrolled from top to bottom. */
const longestFrame = `new Promise((resolve) => {
  const box = document.querySelector(".rows");
  let [frame, longest, before] = [0, 0, performance.now()];
  const step = (now) => {
    longest = frame === 0 ? 0 : Math.max(longest, now - before);
    before = now;
    frame += 1;
    if (frame > ${frames}) return resolve(longest);
    box.scrollTop = (box.scrollHeight * frame) / ${frames};
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const nodesOf = (page: Page): Promise<number> => page.locator("main *").count();

const service = await startService({ sharedThreads: false, limitFactor: 50 });
const browser = await startBrowser();
try {
  const { apiKey, projectName } = service.tenant;
  const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
  const firstStart = Date.now() - 600_000;
  const { trace_id: id } = await client.createTrace({
    body: { name: "long", started_at: new Date(firstStart).toISOString(), input: "Look", output: "Found" },
  });
  const sentSpans = Array.from({ length: spans }, (_, index): SpanInput => ({
    span_id: crypto.randomUUID(),
    name: `step ${index}`,
    kind: index % 2 === 0 ? "LLM" : "TOOL",
    started_at: new Date(firstStart + index * 10).toISOString(),
    ended_at: new Date(firstStart + index * 10 + 9).toISOString(),
    input: { line: index },
  }));
  for (let start = 0; start < spans; start += 500)
    await client.createSpans({ path: { trace_id: id }, body: sentSpans.slice(start, start + 500) });

  const { page } = await openConsole(browser, service, "#/runs");
  const painted: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await page.evaluate(`location.hash = "#/runs"`);
    await page.locator("main.runs").waitFor();
    await page.evaluate("performance.clearResourceTimings()");
    await page.evaluate(`location.hash = "#/traces/${id}?view=timeline"`);
    painted.push(await page.evaluate<number>(paintedAfter));
  }
  console.log(`${spans} spans: painted ${painted.map(Math.round).join(", ")} ms after their data`);
  console.log(
    `${spans} spans: ${await nodesOf(page)} nodes, longest frame ${Math.round(await page.evaluate<number>(longestFrame))} ms`,
  );

  await generateTraces(page, traces);
  await page.evaluate(`location.hash = "#/traces"`);
  await page.locator(".trace-row").first().waitFor();
  const longest = Math.round(await page.evaluate<number>(longestFrame));
  await page.getByText(`trace ${traces - 1}`, { exact: true }).waitFor();
  console.log(`${traces} traces: ${await nodesOf(page)} nodes, longest frame ${longest} ms, the last is reached`);
} finally {
  await browser.close();
  await service.close();
}
