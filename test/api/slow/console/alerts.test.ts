import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import type { Alert, AlertChange, AlertInput } from "../../../../lib/client/interface.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventsWith } from "../../../support/service/local-events.ts";
import { atLeast, eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const browser = browserOfFile();
const [minute, hour] = [60_000, 3_600_000];
const at = (before: number): string => new Date(Date.now() - before).toISOString();

/** Creates 40 traces of an environment in an hour, of which some failed. */
const createTraces = async (environment: string, hoursAgo: number, failures: number): Promise<void> => {
  await client.createTraces({
    body: {
      traces: Array.from({ length: 40 }, (_, index) => ({
        name: `${environment} ${index}`,
        environment,
        status: index < failures ? ("ERROR" as const) : ("COMPLETED" as const),
        started_at: at((hoursAgo - 0.5) * hour + index * 1_000),
      })),
    },
  });
};

const errorRule = (environment: string): AlertInput => ({
  name: `failures ${environment}`,
  filters: { environment },
  signal: "error_rate",
  window: "1h",
  threshold: 0.05,
});

/** Replies with a rule in ALERT, raised by the window that ended at an instant. */
const raise = (page: Page, id: string, window_end: string) =>
  page.route(/\/evaluations\/alerts(?:\/|\?|$)/u, async (route) => {
    if (route.request().method() !== "GET") return await route.continue();
    const numbers = { value: 0.15, reference: 0.05, count: 40, reference_count: null, detectable: null, reason: null };
    const evaluation = { verdict: "alert", ...numbers, interval: { lower: 0.062, upper: 0.311 } } as const;
    const change: AlertChange = { transition: "raised", window_end, ...evaluation };
    const raised = (rule: Alert): Alert =>
      rule.id === id
        ? { ...rule, state: "ALERT", state_since: window_end, window_end, last_evaluation: evaluation }
        : rule;
    const response = await route.fetch();
    const reply = (await response.json()) as { readonly items: readonly Alert[] } | Alert;
    const json = new URL(route.request().url()).pathname.endsWith("/history")
      ? { ...reply, items: [change] }
      : "items" in reply
        ? // Rules of other tests may have alerts of their own.
          { ...reply, items: reply.items.filter((rule) => rule.id === id).map(raised) }
        : raised(reply);
    return await route.fulfill({ response, json });
  });

test("a rule is previewed on past data while it is written, created, changed and deleted", async () => {
  const environment = `alerts-${randomUUID().slice(0, 8)}`;
  await createTraces(environment, 30, 20);
  await createTraces(environment, 5, 0);
  const { page, faults } = await openConsole(browser(), service, "#/alerts");
  await page.getByRole("link", { name: "New rule" }).click();

  await page.getByLabel("Metric or score name").fill("agent_reliability");
  await page.getByText("a metric of traces, such as task_completion").waitFor();
  await page.getByLabel("Signal").selectOption("error_rate");
  await page.getByRole("button", { name: "+ Filter" }).click();
  expect(await page.getByLabel("Filter", { exact: true }).locator("option").allInnerTexts()).not.toContain("score");
  await page.getByLabel("Value").fill(environment);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText(/Would have fired 1 time in the last 14 days, in 80 traces\./u).waitFor();
  await page.getByRole("img", { name: "share of failed traces in the last 14 days, 1 alert" }).waitFor();
  await page.getByText("Figures as a table").click();
  await page.getByRole("row", { name: /50 % 5 % alert/u }).waitFor();
  await page
    .getByText("First check within four minutes after it is saved, of the last full window; then every 1 hour.")
    .waitFor();
  await page.getByText("Nobody is told by e-mail or webhook").waitFor();

  await page.getByLabel("Traces needed in a window").fill("0");
  await page.getByRole("button", { name: "Create rule" }).click();
  await page.getByText("Not saved. See the errors at the fields.").waitFor();
  expect(await page.getByLabel("Traces needed in a window").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Traces needed in a window").fill("20");
  await page.getByRole("button", { name: "Create rule" }).dblclick();
  await page.getByRole("heading", { name: "share of failed traces above 5 % in 1 hour" }).waitFor();
  await page.getByText("No alert yet.").waitFor();
  await page.getByText("at least 20 in a window").waitFor();
  const id = new URL(page.url()).hash.split("/").at(-1) ?? "";
  const { created_at: created } = await client.getAlert({ path: { alert_id: id } });
  const check = page.getByText(/^First check by .*then every 1 hour\.$/u).locator("time");
  expect(Date.parse((await check.getAttribute("datetime")) ?? "") - Date.parse(created)).toBe(4 * minute);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("Sent: the test is on the event bus").waitFor();
  const [sent] = await eventually(() => atLeast(eventsWith("alert_id", id)));
  expect(sent).toMatchObject({ "detail-type": "alert.raised", detail: { is_test: true } });
  await page.getByText("No alert yet.").waitFor();

  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("Alert above, in %").fill("60");
  await page.getByLabel("Severity").selectOption("critical");
  await page.getByLabel("Remind of a lasting alert").selectOption("every 6 hours");
  await page.getByLabel("Name", { exact: true }).fill(environment);
  await page.getByText(/Would have fired 0 times/u).waitFor();
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Condition: share of failed traces above 60 % in 1 hour.").waitFor();
  const stored = (await client.listAlerts()).items.filter(({ name }) => name === environment);
  expect(stored).toMatchObject([
    { threshold: 0.6, minimum_count: 20, severity: "critical", repeat_every: "6h", filters: { environment } },
  ]);

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page
    .getByRole("group", { name: "Delete the rule and its history?" })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByRole("link", { name: "New rule" }).waitFor();
  await page.getByRole("link", { name: environment }).waitFor({ state: "detached" });
  expect((await client.listAlerts()).items.some(({ name }) => name === environment)).toBe(false);
  // The refused rule.
  expect(faults.filter((fault) => !fault.includes("status of 422"))).toEqual([]);
});

test("an alert is counted in the header, listed with its numbers, and leads to the traces that decided", async () => {
  const environment = `alerts-${randomUUID().slice(0, 8)}`;
  await createTraces(environment, 3, 6);
  await createTraces(environment, 9, 2);
  const { id } = await client.createAlert({ body: errorRule(environment) });
  const { page, faults } = await openConsole(browser(), service, "#/runs");
  await raise(page, id, at(2 * hour));
  await page.reload();

  await page.getByRole("link", { name: "1 alert", exact: true }).click();
  const row = page.locator(".alert-row").first();
  await row.getByText("alert", { exact: true }).waitFor();
  expect((await row.innerText()).replaceAll(/\s+/gu, " ")).toMatch(
    /failures .* ▲ alert since .* 15 % threshold 5 % share of failed traces above 5 % in 1 hour/u,
  );
  await row.getByRole("link").click();
  await page
    .getByRole("row", { name: /raised Traces 15 % 5 % 6\.2 % to 31\.1 % 40/u })
    .getByRole("link")
    .click();

  await page.getByText("6 traces", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test("the built-in alert of a monitor is listed beside the rules and can be paused, and not edited", async () => {
  const name = `alerts-${randomUUID().slice(0, 8)}`;
  const monitor = await client.createMonitor({
    body: { name, target_type: "TRACE", metrics: ["task_completion"], cadence: "daily", filters: { name } },
  });
  const { page, faults } = await openConsole(browser(), service, "#/alerts");

  await page.getByRole("link", { name: `Evaluation of ${name} has stopped` }).click();
  await page.getByText(/^Condition: a run of the monitor has targets and scores none of them, /u).waitFor();
  await page.getByText("no run yet").waitFor();
  expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();

  expect((await client.getMonitor({ path: { monitor_id: monitor.id } })).alert_if_stopped).toBe(false);
  expect(faults).toEqual([]);
});

test("the bell asks once a page load, and again after a minute while the page is visible", async () => {
  const { page } = await openConsole(browser(), service, "#/runs");
  await page.clock.install();
  let requests = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.endsWith("/evaluations/alerts")) requests += 1;
  });
  // The document before the reload may have asked too.
  page.once("framenavigated", () => (requests = 0));
  const nextReply = (): Promise<unknown> => page.waitForResponse(/\/evaluations\/alerts\?/u);

  await Promise.all([nextReply(), page.reload()]);
  for (const name of ["Alerts", "Monitors", "Alerts"]) await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("link", { name: "New rule" }).waitFor();
  await page.clock.fastForward(minute / 2);
  expect(requests).toBe(1);
  await Promise.all([nextReply(), page.clock.fastForward(minute)]);
  expect(requests).toBe(2);
});
