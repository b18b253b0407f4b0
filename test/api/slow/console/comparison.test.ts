import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const browser = browserOfFile();

/** Script that lists the cells and links of the tables of groups whose text is cut. */
const cutTexts = `[...document.querySelectorAll(".groups :is(th, td, a)")]
  .flatMap(({ scrollWidth, clientWidth, innerText }) => (scrollWidth > clientWidth + 1 && clientWidth > 1 ? [innerText] : []))`;

/** Stores twelve scored traces of a release. */
const storeRelease = async (name: string, release: string, value: number): Promise<void> => {
  const started_at = new Date(Date.now() - 60_000).toISOString();
  const traces = Array.from({ length: 12 }, () => ({ trace_id: randomUUID(), name: "agent", release, started_at }));
  await client.createTraces({ body: { traces } });
  for (const [number, { trace_id }] of traces.entries()) {
    const score = { trace_id, name, data_type: "NUMERIC", value: String(value + (number % 2) / 10) } as const;
    await client.createTraceScore({ body: score });
  }
};

test("a worse release is seen in the trends by release, and its comparison says so with intervals", async () => {
  const mark = randomUUID().slice(0, 8);
  const [name, before, after] = [`quality_${mark}`, `2.2,${mark}`, `2.3,${mark}`];
  await storeRelease(name, before, 0.8);
  await storeRelease(name, after, 0.3);
  await eventually(async () => {
    const groups = await client.getTraceScoreSummary({ query: { metric_name: name, group_by: ["release"] } });
    return groups.length === 2 && groups.every(({ success_count: scores }) => scores === 12) ? groups : undefined;
  });
  const { page, faults } = await openConsole(browser(), service, "#/metrics?by=release");

  const card = page.locator(".multiple", { hasText: `quality ${mark}` });
  await card.getByRole("row", { name: before }).getByText("0.85").first().waitFor();
  await card.getByRole("row", { name: after }).getByText("0.35").first().waitFor();
  expect(await page.evaluate(cutTexts)).toEqual([]);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await card.getByRole("link", { name: `Compare ${after} with ${before}` }).click();
  await page.getByRole("status").getByText("The candidate is worse.").waitFor();

  await page.getByText(/Mean -0\.500 \(95 %: -0\.6\d\d to -0\.2\d\d, p below 0\.001\)/u).waitFor();
  expect(await page.getByRole("row", { name: "mean" }).innerText()).toMatch(
    /0\.85 \(0\.6\d to 0\.9\d\)\s+0\.35 \(0\.2\d to 0\.4\d\)/u,
  );

  expect(await page.getByLabel("Candidate").locator("option:checked").innerText()).toBe(`${after} (12 traces)`);
  await page.getByLabel("Candidate").selectOption(await page.getByLabel("Baseline").inputValue());
  await page.getByRole("status").getByText("This data cannot tell.").waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);

  await page.getByLabel(/^By/u).selectOption("filters");
  await page.getByLabel("Candidate").fill(`release:${after.replace(",", "\\,")}`);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("status").getByText("The candidate is worse.").waitFor();
  expect(faults).toEqual([]);
});

test("a comparison from the metrics counts traces, costs and scores of one window", async () => {
  const mark = randomUUID().slice(0, 8);
  const [name, before, after] = [`window_${mark}`, `1.0-${mark}`, `1.1-${mark}`];
  await storeRelease(name, before, 0.8);
  await storeRelease(name, after, 0.3);
  // Traces of last month, which were scored today.
  const started_at = new Date(Date.now() - 20 * 86_400_000).toISOString();
  const old = Array.from({ length: 5 }, () => ({ trace_id: randomUUID(), name: "agent", release: before, started_at }));
  await client.createTraces({ body: { traces: old } });
  for (const { trace_id } of old)
    await client.createTraceScore({ body: { trace_id, name, data_type: "NUMERIC", value: "0.1" } });
  const { page, faults } = await openConsole(browser(), service, "#/metrics?by=release");
  const card = page.locator(".multiple", { hasText: `window ${mark}` });
  await card.getByRole("link", { name: `Compare ${after} with ${before}` }).click();
  await page.getByText(/Traces that started since \d{4}-\d\d-\d\d, and their scores\./u).waitFor();

  const shown = (row: string) => page.getByRole("row", { name: row, exact: true }).locator("td").first().innerText();
  await page.getByRole("row", { name: /^traces 12/u }).waitFor();
  const from = new URL(page.url()).hash.match(/from=([^&]+)/u)?.[1] ?? "";
  const { total } = await client.listTraces({
    query: { release: before, started_after: decodeURIComponent(from), limit: 1 },
  });
  const { baseline } = await client.compareTraceScores({
    query: {
      metric_name: name,
      baseline: `release:${before}`,
      candidate: `release:${after}`,
      started_after: decodeURIComponent(from),
    },
  });
  expect([total, baseline.trace_count, baseline.count]).toEqual([12, 12, 12]);
  expect([await shown("traces 12 12"), await shown("scores 12 12")]).toEqual(["12", "12"]);
  expect(faults).toEqual([]);
});

test("two releases are compared in every score, failures, cost and latency, the older one as the baseline", async () => {
  const credentials = { apiKey, projectName: `compare-${randomUUID()}` };
  const apart = createClient({ baseUrl: service.baseUrl, credentials });
  const store = async (release: string, daysAgo: number, hasFailed: boolean, value: number, count: number) => {
    const started_at = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    const traces = Array.from({ length: count }, () => ({
      trace_id: randomUUID(),
      name: "agent",
      release,
      started_at,
      status: hasFailed ? ("ERROR" as const) : ("COMPLETED" as const),
    }));
    await apart.createTraces({ body: { traces } });
    for (const name of ["tone", "truth"])
      for (const [at, { trace_id }] of traces.entries()) {
        const number = name === "tone" ? 0.5 + (at % 2) / 100 : value + (at % 2) / 10;
        await apart.createTraceScore({ body: { trace_id, name, data_type: "NUMERIC", value: String(number) } });
      }
  };
  await store("older", 2, false, 0.8, 24);
  await store("newer", 1, true, 0.2, 26);
  await eventually(async () => {
    const summaries = await apart.getTraceScoreSummary({ query: {} });
    return summaries.length === 2 && summaries.every(({ success_count: scores }) => scores === 50) ? true : undefined;
  });
  const { items } = await apart.listTraces({ query: { limit: 1 } });
  const { project_id: projectId } = await apart.getTrace({ path: { trace_id: items[0]?.trace_id ?? "" }, query: {} });
  const tenant = { ...service.tenant, projectId };
  const { page, faults } = await openConsole(browser(), { ...service, tenant }, "#/compare");

  await page.getByText("The candidate is worse in truth, failed traces.").waitFor();
  const chosen = (label: string) => page.getByLabel(label).locator("option:checked").innerText();
  expect([await chosen("Baseline"), await chosen("Candidate")]).toEqual(["older (24 traces)", "newer (26 traces)"]);
  expect(await page.getByRole("row", { name: /^tone/u }).innerText()).toMatch(/0\.5\d\s+0\.5\d\s+cannot tell/u);
  expect(await page.getByRole("row", { name: /^failed traces/u }).innerText()).toMatch(/0\.0 %\s+100\.0 %\s+worse/u);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.getByRole("link", { name: "Swap sides" }).click();
  await page.getByText("The candidate is nowhere shown to be worse.").waitFor();
  await page.getByRole("link", { name: "truth" }).click();
  await page.getByRole("status").getByText("The candidate is not worse.").waitFor();
  expect(faults).toEqual([]);
});

test("two runs are compared from the page of one of them, the earlier one as the baseline, with figures of their own scores", async () => {
  const credentials = { apiKey, projectName: `runs-${randomUUID()}` };
  const apart = createClient({ baseUrl: service.baseUrl, credentials });
  const started_at = new Date().toISOString();
  const traces = Array.from({ length: 6 }, (_, at) => ({
    trace_id: randomUUID(),
    name: "agent",
    started_at,
    status: at < 2 ? ("ERROR" as const) : ("COMPLETED" as const),
    output: "Ho",
  }));
  await apart.createTraces({ body: { traces } });
  const judge = async (name: string, trace_ids: readonly string[]): Promise<string> => {
    const body = { name, trace_ids: [...trace_ids], metrics: ["task_completion"] };
    const { id: run_id } = await apart.createTraceBatchRun({ body });
    await eventually(async () => (await apart.getTraceRun({ path: { run_id } })).completed_at ?? undefined);
    return run_id;
  };
  const ids = traces.map(({ trace_id: id }) => id);
  const [first, second] = [await judge("first", ids), await judge("second", ids.slice(1))];
  const scoresOf = async (run_id: string) => await apart.listTraceRunScores({ path: { run_id }, query: {} });
  const scores = await eventually(async () => {
    const both = [await scoresOf(first), await scoresOf(second)].map((list) => (Array.isArray(list) ? list : []));
    return both[0]?.length === 6 && both[1]?.length === 5 ? both : undefined;
  });
  // A person has corrected the judge in the second run.
  const corrected = scores[1]?.find(({ trace_id: id }) => id === ids[5]);
  await apart.updateTraceScore({ path: { score_id: corrected?.id ?? "" }, body: { value: "0.5" } });
  const { project_id: projectId } = await apart.getTraceRun({ path: { run_id: first } });
  const tenant = { ...service.tenant, projectId };
  const { page, faults } = await openConsole(browser(), { ...service, tenant }, `#/runs/${second}`);

  await page.getByRole("link", { name: "compare with another run" }).click();
  await page
    .getByText("The candidate's task completion is higher for 0 and lower for 1 of 5 traces.", { exact: true })
    .waitFor();
  const chosen = (label: string) => page.getByLabel(label).locator("option:checked").innerText();
  expect(await chosen("Baseline")).toMatch(/^first, offline\/rules/u);
  expect(await chosen("Candidate")).toMatch(/^second, offline\/rules/u);
  const means = await Promise.all(
    [first, second].map(async (run) => {
      const list = await scoresOf(run);
      const values = (Array.isArray(list) ? list : []).map(({ value }) => Number(value));
      return `${(values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2)} (${values.length})`;
    }),
  );
  const cells = await page
    .getByRole("row", { name: /^task completion/u })
    .getByRole("cell")
    .allInnerTexts();
  expect(cells).toEqual([...means, "-0.10 (5)", "0", "1"]);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page
    .getByLabel("Candidate")
    .selectOption({ label: await page.getByLabel("Baseline").locator("option:checked").innerText() });
  await page.getByText("The candidate's task completion is the same for 6 traces.").waitFor();
  expect(faults).toEqual([]);
});
