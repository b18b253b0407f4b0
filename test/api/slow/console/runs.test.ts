import { randomUUID } from "node:crypto";
import type { Page, Request } from "playwright-core";
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

/** Creates traces with a mark in their names, in a session of that name. */
const tracesOf = async (count: number) => {
  const mark = `judged ${randomUUID().slice(0, 8)}`;
  const traces = Array.from({ length: count }, () => ({
    trace_id: randomUUID(),
    name: mark,
    session_id: mark,
    started_at: new Date().toISOString(),
    input: "Where is it?",
    output: "On its way.",
  }));
  for (let start = 0; start < count; start += 100)
    await client.createTraces({ body: { traces: traces.slice(start, start + 100) } });
  return { mark, ids: traces.map(({ trace_id: id }) => id) };
};

const metrics = ["task_completion"] as const;

/** A judge with a price. No run of these tests reaches its provider. */
const model = "openai/gpt-5.4-mini";

const ceilingOf = async (page: Page): Promise<number> =>
  Number(await page.getByLabel("Max cost in US dollars").inputValue());

test("running a monitor now first shows what that run would judge and cost, and proposes a ceiling, by keyboard", async () => {
  const { mark } = await tracesOf(4);
  const { id: monitor_id } = await client.createMonitor({
    body: {
      name: mark,
      target_type: "TRACE",
      metrics,
      cadence: "weekly",
      filters: { name: mark },
      sampling_rate: 0.5,
      model,
    },
  });
  const runsOf = async () => (await client.listMonitorRuns({ path: { monitor_id }, query: {} })).items;
  const { page, faults } = await openConsole(browser(), service, "#/monitors");
  await page.locator(".monitor", { hasText: mark }).getByRole("button", { name: "Run now …" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(/^2 traces, 2 judge calls, about \$0\.\d+/u).waitFor();

  const estimate = await client.triggerMonitor({ path: { monitor_id }, query: { dry_run: true } });
  const proposed = await ceilingOf(page);
  expect(proposed).toBeGreaterThan((estimate.cost_usd ?? 1) + (estimate.set_aside_usd ?? 1));
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(await runsOf()).toEqual([]);
  await page.getByLabel("Max cost in US dollars").fill("$1");
  await page.getByText("the max cost is not a number").waitFor();
  expect(await page.getByRole("button", { name: "Run now", exact: true }).isDisabled()).toBe(true);
  await page.getByLabel("Max cost in US dollars").fill("0,0001");
  await page.getByText(/no judgement can start below/u).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Run started").waitFor();

  const [run] = await runsOf();
  expect(run).toMatchObject({ total_targets: 2, max_cost_usd: 0.0001 });
  await page.getByRole("link", { name: "View run" }).click();
  await page.getByText("of at most $0.0001").waitFor();
  expect(faults).toEqual([]);
});

test("an evaluation is started with the ceiling that its estimate proposes", async () => {
  const { mark } = await tracesOf(2);
  const { page, faults } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);
  await page.getByRole("button", { name: "Evaluate all" }).click();
  await page.getByText(/^2 traces, 2 judge calls, about \$0 /u).waitFor();
  // Nothing is proposed for a judge that costs nothing.
  expect(await page.getByLabel("Max cost in US dollars").inputValue()).toBe("");
  const bodies: unknown[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") bodies.push(request.postDataJSON());
  });
  await page.getByLabel("Judge", { exact: true }).fill(model);
  await page.keyboard.press("Tab");
  await page.getByText(/^2 traces, 2 judge calls, about \$0\.\d+/u).waitFor();
  const proposed = await ceilingOf(page);
  expect(proposed).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.getByText("Run started").waitFor();

  expect(bodies.at(-1)).toMatchObject({ model, max_cost_usd: proposed });
  expect(bodies[0]).not.toHaveProperty("max_cost_usd");
  expect(faults).toEqual([]);
});

test("a run is stopped on its page while it judges, and is gone while its scores stay", async () => {
  const { mark, ids } = await tracesOf(2000);
  // So many pairs that the run still judges after the last click on any machine.
  const metrics = ["task_completion", "tool_correctness", "argument_correctness", "plan_quality", "step_efficiency"];
  const { id } = await client.createTraceRun({ body: { filters: { name: mark }, metrics } });
  const { page, faults } = await openConsole(browser(), service, `#/runs/${id}`);
  await page.locator(".score-row").first().waitFor();

  await page.getByRole("button", { name: "Stop and delete" }).click();
  const question = page.getByRole("group", { name: /^Stop this run and delete it/u });
  await question.getByLabel(/^delete its (?:\d+ )?scores? too \(otherwise they stay\)$/u).waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  expect((await client.getTraceRun({ path: { run_id: id } })).status).toBe("RUNNING");
  await page.getByRole("button", { name: "Stop and delete" }).click();
  await question.getByRole("button", { name: "Stop and delete" }).click();
  await page.waitForURL(/#\/runs$/u);

  await expect(client.getTraceRun({ path: { run_id: id } })).rejects.toMatchObject({ status: 404 });
  const { total } = await client.listTraceScores({ query: { eval_run_id: id, limit: 1 } });
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(ids.length * metrics.length);
  expect(faults).toEqual([]);
});

test("a run's page gives up what it asks of the run that is being deleted, and loads again after a failed deletion", async () => {
  const { mark } = await tracesOf(400);
  const { id } = await client.createTraceRun({ body: { filters: { name: mark }, metrics: ["plan_quality"] } });
  const { page } = await openConsole(browser(), service, `#/runs/${id}`);
  const isRead = (request: Request): boolean => request.method() === "GET" && request.url().endsWith(id);
  const refusal = Promise.withResolvers<void>();
  await page.getByRole("button", { name: "Stop and delete" }).click();
  await page.route(
    ({ pathname }) => pathname.endsWith(id),
    async (route) => {
      if (route.request().method() !== "DELETE") return; // Never answered.
      await refusal.promise;
      await route.fulfill({ status: 409, json: { detail: "The run is kept." } });
    },
  );
  await page.waitForRequest(isRead);
  // The client itself gives a request up after thirty seconds.
  const givenUp = page.waitForEvent("requestfailed", { predicate: isRead, timeout: 20_000 });
  const question = page.getByRole("group", { name: /^Stop this run and delete it/u });
  await question.getByRole("button", { name: "Stop and delete" }).click();
  await givenUp;

  const reads: string[] = [];
  page.on("request", (request) => isRead(request) && reads.push(request.url()));
  // What the page begins after it has shown the start of the deletion.
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 300)))");
  expect(reads).toEqual([]);
  refusal.resolve();
  await page.getByText("The run is kept.").waitFor();
  await expect.poll(() => reads.length).toBeGreaterThan(0);
});

test("an ended session run is deleted with its scores by keyboard", async () => {
  const { mark } = await tracesOf(2);
  const body = { session_ids: [mark], metrics: ["agent_reliability"] };
  const { id } = await client.createSessionBatchRun({ body });
  const { page, faults } = await openConsole(browser(), service, `#/session-runs/${id}`);
  await page.getByRole("button", { name: "Delete", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("delete its 1 score too").waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/session-runs$/u);

  await expect(client.getSessionRun({ path: { run_id: id } })).rejects.toMatchObject({ status: 404 });
  await eventually(async () => {
    const { total } = await client.listSessionScores({ query: { eval_run_id: id, limit: 1 } });
    return total === 0 ? true : undefined;
  });
  expect(faults).toEqual([]);
});
