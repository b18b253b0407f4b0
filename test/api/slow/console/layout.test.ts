import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { pausePoint } from "../../../support/service/pause-point.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });

const browser = browserOfFile();

const instantBefore = (minutesAgo: number): string => new Date(Date.now() - minutesAgo * 60_000).toISOString();

/** Creates a trace with long texts and deeply nested spans. @returns its id. */
const createLongTrace = async (): Promise<string> => {
  const ids = Array.from({ length: 14 }, () => randomUUID());
  const { trace_id: id } = await client.createTrace({
    body: {
      name: `looks ${"n".repeat(150)}`,
      started_at: instantBefore(20),
      ended_at: instantBefore(3),
      input: "Hello?",
      output: "Hello.",
      user_id: "u".repeat(160),
      session_id: "s".repeat(150),
      release: "r".repeat(120),
      environment: "e".repeat(60),
      tags: Array.from({ length: 30 }, (_, index) => `tag ${index} `.padEnd(120, "t")),
      spans: ids.map((span_id, index) => ({
        span_id,
        parent_span_id: ids[index - 1] ?? null,
        name: `step ${index}`,
        kind: "TOOL",
        started_at: instantBefore(20),
        ended_at: instantBefore(3),
      })),
    },
  });
  return id;
};

/** Script that lists the controls with less than 24 pixels to tap. */
const tooSmall = `[...document.querySelectorAll("main :is(a, button, input, select, summary)")].flatMap((each) => {
  const { width, height } = each.getBoundingClientRect();
  return width === 0 || height === 0 || (width > 23 && height > 23) ? [] : [each.outerHTML.slice(0, 80)];
})`;

test("on a phone no page is wider than the screen, and every control is large enough to tap", async () => {
  const id = await createLongTrace();
  const others = Array.from({ length: 19 }, () => ({ name: "other", started_at: instantBefore(20) }));
  const { results } = await client.createTraces({ body: { traces: others } });
  const { id: run } = await client.createTraceBatchRun({ body: { trace_ids: [id], metrics: ["task_completion"] } });
  const alert = await client.createAlert({
    body: { name: "n".repeat(150), signal: "volume", window: "1h", threshold: 1 },
  });
  const { id: dataset_id } = await client.createDataset({
    body: { name: "n".repeat(500), description: "d".repeat(500) },
  });
  const items = [{ id: "i".repeat(150), input: "question", expected_output: "e".repeat(500) }];
  await client.createDatasetItems({ path: { dataset_id }, body: { items } });
  const { id: set_id } = await client.createLabelSet({
    body: {
      name: "n".repeat(500),
      metrics: [{ name: "task_completion" }],
      trace_ids: [id, ...results.flatMap(({ trace_id: other }) => other ?? [])],
      size: 20,
    },
  });
  const phone = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };
  const places = [
    [`#/traces/${id}`, ".transcript"],
    [`#/traces/${id}?view=timeline`, ".span-row"],
    [`#/sessions/${"s".repeat(150)}`, ".of-session"],
    [`#/runs/${run}`, ".score-row"],
    ["#/traces?name=looks", ".trace-row"],
    ["#/runs", ".run-row"],
    ["#/datasets", "main table"],
    [`#/datasets/${dataset_id}`, ".list-row"],
    ["#/label-sets", "main table"],
    [`#/label-sets/${set_id}`, "#trust"],
    [`#/label/${set_id}`, ".label-form"],
    ["#/alerts", ".alert-row"],
    [`#/alerts/${alert.id}`, ".signal"],
    ["#/new-alert?environment=production", ".signal"],
  ] as const;
  const { page } = await openConsole(browser(), service, places[0][0], phone);

  for (const [hash, selector] of places) {
    await page.evaluate(`location.hash = "${hash}"`);
    await page.locator(selector).first().waitFor();
    // A phone zooms out of a page that is too wide.
    const widths = await page.evaluate("[innerWidth, document.documentElement.scrollWidth]");
    expect([hash, widths, await page.evaluate(tooSmall)]).toEqual([hash, [390, 390], []]);
  }
});

test("rows show the progress of a run, a long duration, a time of another year, and the time of a score", async () => {
  const id = await createLongTrace();
  await client.createTrace({
    body: { name: "looks back", started_at: `${new Date().getFullYear() - 1}-12-28T22:58:00Z` },
  });
  const { id: run } = await client.createTraceBatchRun({ body: { trace_ids: [id], metrics: ["task_completion"] } });
  const beyond = (row: string, cell: string): string => `[...document.querySelectorAll("${row}")].flatMap((row) =>
    [...row.querySelectorAll("${cell}")].filter((each) => each.clientWidth > 0).flatMap((each) => {
      const [outer, inner] = [row.getBoundingClientRect(), each.getBoundingClientRect()];
      const isIn = inner.top >= outer.top && inner.bottom <= outer.bottom && each.scrollWidth <= each.clientWidth;
      return isIn ? [] : [each.textContent];
    }))`;
  for (const width of [1280, 390]) {
    const { page } = await openConsole(browser(), service, "#/runs", { viewport: { width, height: 800 } });
    await page.locator(".run-row").first().waitFor();
    expect(await page.evaluate(beyond(".run-row", ".progress, .progress *")), `${width}`).toEqual([]);
    await page.evaluate(`location.hash = "#/runs/${run}"`);
    await page.locator(".score-row").first().waitFor();
    expect(await page.evaluate(beyond(".score-row", ".number")), `${width}`).toEqual([]);
    await page.evaluate(`location.hash = "#/traces?name=looks"`);
    await page.locator(".trace-row", { hasText: "17 min 0 s" }).first().waitFor();
    await page.locator(".trace-row", { hasText: "looks back" }).first().waitFor();
    expect(await page.evaluate(beyond(".trace-row", ".number")), `${width}`).toEqual([]);
  }
});

test.each([
  ["runs", /\/evaluations\/trace-runs\?/u],
  ["monitors", /\/evaluations\/monitors\?/u],
  ["own-metrics", /\/evaluations\/metrics/u],
  ["alerts", /\/evaluations\/alerts/u],
])("the button of the page %s stays where it is when the list arrives", async (name, list) => {
  const { page } = await openConsole(browser(), service, `#/${name}`);
  const arrival = pausePoint();
  await page.route(list, async (route) => {
    await arrival.pass();
    await route.continue();
  });
  await page.reload();
  await arrival.reached;
  const button = page.locator("main .said .main");
  await button.waitFor();
  const isLoading = (await page.locator("main .said b").count()) === 0;
  const before = await button.boundingBox();
  arrival.open();
  await page.locator("main .said b").waitFor();

  expect(isLoading).toBe(true);
  expect(await button.boundingBox()).toEqual(before);
});
