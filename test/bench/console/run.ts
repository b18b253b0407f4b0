/**
 * `npm run bench:console`: measures in a real browser what the console costs. First loads on a slow network: bytes, requests, time
 * to the first row. CPU of 5,000 spans painted and scrolled, beside a list of 50,000 traces. Pages that a flung list requests.
 * Memory after 50 navigations.
 */
import type { Page } from "playwright-core";
import { createClient } from "../../../lib/client/client.ts";
import type { SpanInput } from "../../../lib/client/interface.ts";
import { startBrowser } from "../../support/browser/browser.ts";
import { generateTraces } from "../../support/browser/generated-traces.ts";
import { startService, type RunningService } from "../../support/service/service.ts";
import { demoData, type DemoData } from "./demo-data.ts";
import { measureLoad } from "./loads.ts";
import { cpuOf, metricOf, openMeasured, type MeasuredPage } from "./measured-page.ts";

const spans = 5_000;
const traces = 50_000;
const navigations = 50;

/** Number of scrolled frames. */
const frames = 120;

/** Script that waits until the first row of a timeline is painted. */
const painted = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector(".span-row") === null) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(resolve));
  };
  look();
})`;

/** Script that scrolls a list by half its height with each frame and resolves with the longest frame in milliseconds. */
const scroll = `new Promise((resolve) => {
  const box = document.querySelector(".rows");
  let [frame, longest, before] = [0, 0, performance.now()];
  const step = (now) => {
    longest = frame === 0 ? 0 : Math.max(longest, now - before);
    before = now;
    frame += 1;
    if (frame > ${frames}) return resolve(longest);
    box.scrollTop += box.clientHeight / 2;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

/** Script that scrolls a list to its end within ${frames} frames. */
const fling = `new Promise((resolve) => {
  const box = document.querySelector(".rows");
  let frame = 0;
  const step = () => {
    frame += 1;
    box.scrollTop = (box.scrollHeight * frame) / ${frames};
    if (frame === ${frames}) resolve();
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const nodesOf = (page: Page): Promise<number> => page.locator("main *").count();

/** Stores a trace with many spans. @returns its id. */
const createLongTrace = async ({ baseUrl, tenant: { apiKey, projectName } }: RunningService): Promise<string> => {
  const client = createClient({ baseUrl, credentials: { apiKey, projectName } });
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
  return id;
};

/** Prints CPU and longest frame of a scrolled list, median of three. */
const printScroll = async ({ page, session }: MeasuredPage, title: string): Promise<void> => {
  const rounds: [cpu: number, longest: number][] = [];
  for (let round = 0; round < 3; round += 1) {
    await page.evaluate(`document.querySelector(".rows").scrollTop = 0`);
    let longest = 0;
    const cpu = await cpuOf(session, async () => {
      longest = await page.evaluate<number>(scroll);
    });
    rounds.push([cpu, longest]);
  }
  const [cpu, longest] = rounds.toSorted((a, b) => a[0] - b[0])[1] ?? [0, 0];
  console.log(
    `${title}: ${await nodesOf(page)} nodes, ${Math.round(cpu)} ms of CPU for ${frames} frames, longest ${Math.round(longest)} ms`,
  );
};

const printLongTrace = async (opened: MeasuredPage, id: string): Promise<void> => {
  const { page, session, show } = opened;
  const cpus: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await show("#/runs", "main.runs");
    cpus.push(
      await cpuOf(session, async () => {
        await page.evaluate(`location.hash = "#/traces/${id}?view=timeline"`);
        await page.evaluate(painted);
      }),
    );
  }
  console.log(`${spans} spans: ${cpus.map(Math.round).join(", ")} ms of CPU until the timeline is painted`);
  await printScroll(opened, `${spans} spans`);
};

const printLongList = async (opened: MeasuredPage): Promise<void> => {
  const { page, show } = opened;
  await show("#/runs", "main.runs");
  const offsets = await generateTraces(page, traces);
  await show("#/traces", ".trace-row");
  await printScroll(opened, `${traces} traces`);
  await page.evaluate(`document.querySelector(".rows").scrollTop = 0`);
  const before = offsets.length;
  await page.evaluate(fling);
  await page.getByText(`trace ${traces - 1}`, { exact: true }).waitFor();
  console.log(`${traces} traces flung to the end: ${offsets.length - before} pages requested`);
  await page.unrouteAll();
};

const printMemory = async ({ session, show }: MeasuredPage, { trace, run }: DemoData): Promise<void> => {
  const places = [
    ["#/traces", ".trace-row"],
    [`#/traces/${trace}`, ".verdict"],
    [`#/traces/${trace}?view=timeline`, ".span-row"],
    [`#/runs/${run}`, ".score-row"],
    ["#/metrics", ".multiple"],
  ] as const;
  const navigate = async (times: number): Promise<number> => {
    for (let index = 0; index < times; index += 1) {
      const [hash, selector] = places[index % places.length] ?? places[0];
      await show(hash, selector);
    }
    await session.send("HeapProfiler.collectGarbage");
    return await metricOf(session, "JSHeapUsedSize");
  };
  // All files are loaded before.
  const before = await navigate(places.length * 2);
  const after = await navigate(navigations);
  const megabytes = [before, after].map((bytes) => (bytes / 1e6).toFixed(1));
  console.log(`memory: ${megabytes[0]} MB before and ${megabytes[1]} MB after ${navigations} navigations`);
};

const service = await startService({ sharedThreads: false, limitFactor: 50 });
// Several processes: the single one of tests exits when much memory is used.
const browser = await startBrowser(true);
try {
  const demo = await demoData(service);
  const opened = await openMeasured(browser, service);
  await printMemory(opened, demo);
  await printLongTrace(opened, await createLongTrace(service));
  await printLongList(opened);
  await opened.page.close();
  for (const [title, hash, selector] of [
    ["traces", "#/traces", ".trace-row"],
    ["trace", `#/traces/${demo.trace}`, ".verdict"],
    ["session", `#/sessions/${encodeURIComponent(demo.session)}`, ".turn"],
    ["runs", "#/runs", ".run-row"],
    ["run", `#/runs/${demo.run}`, ".score-row"],
    ["metrics", "#/metrics", ".multiple"],
    ["monitors", "#/monitors", ".monitor"],
    ["settings", "#/settings", ".entries"],
  ] as const) {
    const { fileBytes, files, dataBytes, requests, firstRow } = await measureLoad(browser, service, hash, selector);
    console.log(
      `${title}: ${fileBytes} bytes in ${files} files, ${dataBytes} bytes in ${requests} requests, first row after ${Math.round(firstRow)} ms`,
    );
  }
} finally {
  await browser.close();
  await service.close();
}
