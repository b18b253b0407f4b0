import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { openPage } from "../../../support/browser/page.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName, bearerToken, projectId } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const owner = createClient({ baseUrl: service.baseUrl, credentials: { token: bearerToken } });

const browser = browserOfFile();

/** Names of the buttons that write, on any of the pages. */
const writing =
  /^(?:Evaluate|Retry|New |Agree|Disagree|Pause|Resume|Run now|Stop|Tag$|Duplicate|Delete|Copy into|Import|Judge again|Create|Label|Upload|Close set|Compare judge|Make|Edit|Save|Open in|Run preview)/u;

test("a read-only key shows a notice, and no action that it may not do, by mouse or by keyboard", async () => {
  const mark = `read only ${randomUUID().slice(0, 8)}`;
  const session = randomUUID();
  const trace = { name: mark, status: "ERROR", started_at: new Date().toISOString(), session_id: session } as const;
  const { trace_id: id } = await client.createTrace({ body: { ...trace, input: "Hello", output: "Hi" } });
  const run = await client.createTraceBatchRun({ body: { trace_ids: [id], metrics: ["task_completion"] } });
  await eventually(async () => (await client.getTraceScores({ path: { score_id: id } }))[0]);
  const monitor = { name: mark, target_type: "TRACE", metrics: ["task_completion"], cadence: "daily" } as const;
  await client.createMonitor({ body: { ...monitor, filters: { name: mark } } });
  const alert = await client.createAlert({ body: { name: mark, signal: "volume", window: "1h", threshold: 1 } });
  const metric = `read_only_${randomUUID().slice(0, 8)}`;
  await client.copyGalleryMetric({ body: { metric: "tone", name: metric } });
  const path = { org_id: "" };
  for await (const project of client.each.listReachableProjects({ query: { limit: 200 } }))
    if (project.id === projectId) path.org_id = project.org_id;
  const apiKey = await owner.createApiKey({ path, body: { name: mark, access: "read", project_id: projectId } });
  const { id: dataset_id } = await client.createDataset({ body: { name: mark } });
  await client.createDatasetItems({ path: { dataset_id }, body: { items: [{ source: { trace_id: id } }] } });
  const others = Array.from({ length: 19 }, () => trace);
  await client.createTraces({ body: { traces: others } });
  const { id: set_id } = await client.createLabelSet({
    body: { name: mark, metrics: [{ name: "task_completion" }], filters: { name: mark } },
  });
  await client.computeTrust({ path: { set_id }, body: { metric: "task_completion" } });
  const places: readonly (readonly [place: string, there: string])[] = [
    ["#/label-sets", "main table"],
    [`#/label-sets/${set_id}`, "#trust"],
    ["#/datasets", "main table"],
    [`#/datasets/${dataset_id}`, ".list-row"],
    [`#/traces?name=${encodeURIComponent(mark)}`, ".trace-row"],
    [`#/traces/${id}`, ".verdict"],
    [`#/traces/${id}?view=timeline`, ".span-row, .timeline"],
    [`#/sessions/${session}`, ".turn"],
    ["#/start", ".steps"],
    ["#/dashboard", ".totals"],
    ["#/runs", ".run-row"],
    [`#/runs/${run.id}`, ".score-row"],
    ["#/metrics", ".multiple"],
    ["#/scores?name=task_completion", ".score-row"],
    ["#/monitors", ".monitor"],
    ["#/alerts", ".alert-row"],
    [`#/alerts/${alert.id}`, "main h2"],
    [`#/alerts/${alert.id}?edit=1`, "main h1:text('is read-only')"],
    ["#/new-alert", "main h1:text('is read-only')"],
    ["#/own-metrics", "main a[href*='own-metrics/']"],
    [`#/own-metrics/${metric}`, "h1"],
    ["#/metric-gallery", "main h2"],
    ["#/new-metric", "main h1:text('is read-only')"],
    ["#/metric-import", "main h1:text('is read-only')"],
    [`#/own-metrics/${metric}?edit=1`, "main h1:text('is read-only')"],
  ];
  const { page, faults } = await openPage(browser(), `${service.baseUrl}/console`);
  const refusedUrls: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refusedUrls.push(response.url());
  });

  await page.getByLabel("API key").fill(apiKey.raw_key ?? "");
  await page.getByRole("button", { name: "Sign in with the key" }).click();
  await page.getByText("read-only key", { exact: true }).waitFor();
  const offered: string[] = [];
  for (const [hash, selector] of places) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator(selector).first().waitFor();
    const buttons = page.locator("main button:visible, main a.button:visible");
    offered.push(...(await buttons.allInnerTexts()));
    for (const press of ["x", "e", "n", "a", "d"]) await page.keyboard.press(press);
    expect(await page.locator("dialog[open], .selection:visible").count()).toBe(0);
  }

  expect(offered.filter((name) => writing.test(name.trim()))).toEqual([]);
  expect(offered.length).toBeGreaterThan(10);
  expect([refusedUrls, faults]).toEqual([[], []]);
});
