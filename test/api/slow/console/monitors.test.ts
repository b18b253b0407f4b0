import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { dollars } from "../../../../lib/console/format.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { countClicks } from "../../../support/browser/clicks.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const browser = browserOfFile();

const storeTraces = async (count: number, release: string): Promise<void> => {
  const started_at = new Date().toISOString();
  const traces = Array.from({ length: count }, () => ({
    name: "agent",
    release,
    started_at,
    input: "Hi",
    output: "Ho",
  }));
  await client.createTraces({ body: { traces } });
};

test("a monitor's release is changed in place: only that is sent, and its schedule and judge stay", async () => {
  const mark = randomUUID().slice(0, 8);
  await storeTraces(2, `1-${mark}`);
  const { id: monitor_id } = await client.createMonitor({
    body: {
      name: `nightly ${mark}`,
      target_type: "TRACE",
      metrics: ["task_completion"],
      cadence: "cron:0 9 * * mon-fri",
      filters: { release: `0-${mark}`, date_from: "2026-01-01T00:00:00Z", tags: ["a|b", "c"] },
      sampling_rate: 0.3,
      max_cost_usd: 2.5,
      only_if_changed: false,
    },
  });
  const path = { monitor_id };
  const before = await client.getMonitor({ path });
  const { page, faults } = await openConsole(browser(), service, "#/monitors");
  const rows = page.locator(".monitor", { hasText: mark });
  await rows.getByText("30 % at random").waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  const bodies: unknown[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") bodies.push(request.postDataJSON());
  });

  const clicks = await countClicks(page);
  await rows.getByRole("button", { name: "Edit …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("0 traces, 0 judge calls").waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(await dialog.getByLabel("Max cost in US dollars").inputValue()).toBe("2.5");
  await dialog.getByRole("button", { name: `Remove filter release 0-${mark}` }).click();
  await dialog.getByRole("button", { name: "Remove filter tag a\\|b|c" }).click();
  await dialog.getByRole("button", { name: "+ Filter" }).click();
  await dialog.getByLabel("Filter", { exact: true }).selectOption("release");
  await dialog.getByLabel("Value").fill(`1-${mark}`);
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await rows.getByText(`release 1-${mark}`).waitFor();
  // Fields that are selected by keyboard count as a click, too.
  expect(await clicks()).toBeLessThanOrEqual(6);

  const filters = { release: `1-${mark}`, date_from: "2026-01-01T00:00:00Z" };
  expect(bodies).toEqual([{ filters }]);
  expect(await client.getMonitor({ path })).toEqual({ ...before, filters, updated_at: expect.any(String) });
  expect(await page.evaluate("location.hash")).toBe("#/monitors");
  expect(faults).toEqual([]);
});

test("an edit of a monitor never replaces silently what a second tab has saved, and other fields of it stay", async () => {
  const mark = randomUUID().slice(0, 8);
  const { id: monitor_id } = await client.createMonitor({
    body: {
      name: `shared ${mark}`,
      target_type: "TRACE",
      metrics: ["task_completion"],
      cadence: "daily",
      filters: { release: mark },
      max_cost_usd: 1,
    },
  });
  const path = { monitor_id };
  const { page, faults } = await openConsole(browser(), service, "#/monitors");
  await page.locator(".monitor", { hasText: mark }).getByRole("button", { name: "Edit …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Max cost in US dollars").fill("3");
  await client.updateMonitor({ path, body: { max_cost_usd: 2, cadence: "weekly" } });
  await dialog.getByRole("button", { name: "Save changes" }).click();

  await dialog.getByRole("alert").getByText("Changed since you opened it.").waitFor();
  expect(await dialog.getByRole("alert").getByRole("listitem").allInnerTexts()).toEqual([
    "max cost usd is now 2, yours 3",
  ]);
  expect(await client.getMonitor({ path })).toMatchObject({ max_cost_usd: 2, cadence: "weekly" });
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save mine" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await client.getMonitor({ path })).toMatchObject({ max_cost_usd: 3, cadence: "weekly" });
  expect(faults).toEqual([]);
});

test("a monitor is copied with all that it has, the copy runs, and its row shows what the API has, until it is deleted", async () => {
  const mark = randomUUID().slice(0, 8);
  await storeTraces(3, mark);
  const { id } = await client.createMonitor({
    body: {
      name: `sample ${mark}`,
      target_type: "TRACE",
      metrics: ["task_completion", "tool_correctness"],
      cadence: "weekly",
      filters: { release: mark },
      only_if_changed: false,
      alert_if_stopped: false,
      scope: "changed",
    },
  });
  const original = await client.getMonitor({ path: { monitor_id: id } });
  const { page, faults } = await openConsole(browser(), service, "#/monitors");
  await page.locator(".monitor", { hasText: mark }).getByRole("button", { name: "Duplicate …" }).click();
  await page.getByText(/^3 traces, 6 judge calls/u).waitFor();
  await page.getByRole("button", { name: "Create monitor" }).click();
  const copyRows = page.locator(".monitor", { hasText: `sample ${mark} copy` });
  await copyRows.getByRole("button", { name: "Run now …" }).click();
  await page.getByRole("button", { name: "Run now", exact: true }).click();
  await page.getByText("Run started").waitFor();
  await page.getByRole("button", { name: "Close" }).click();

  const copy = (await client.listMonitors({ query: { limit: 200 } })).items.find(
    (each) => each.name === `sample ${mark} copy`,
  );
  const { id: monitor_id = "", metric_names, filters, cadence, only_if_changed, alert_if_stopped, scope } = copy ?? {};
  expect({ metric_names, filters, cadence, only_if_changed, alert_if_stopped, scope, max: copy?.max_cost_usd }).toEqual(
    {
      metric_names: original.metric_names,
      filters: original.filters,
      cadence: original.cadence,
      only_if_changed: false,
      alert_if_stopped: false,
      scope: "changed",
      max: null,
    },
  );
  const run = await eventually(async () => {
    const [newest] = (await client.listMonitorRuns({ path: { monitor_id }, query: {} })).items;
    return newest?.status === "COMPLETED" ? newest : undefined;
  });
  await page.reload();
  const { items: scores } = await client.listTraceScores({ query: { eval_run_id: run.id, limit: 200 } });
  await copyRows.getByText(/^task completion \d/u).waitFor();
  // Scores of metrics that did not apply count nowhere.
  const means = (metric_names ?? []).flatMap((name) => {
    const values = scores.flatMap((each) =>
      each.name === name && each.applicable !== false ? Number(each.value) : [],
    );
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.length === 0 ? [] : [`${name.replaceAll("_", " ")} ${mean.toFixed(2)}`];
  });
  const lastRun = copyRows.locator("tr").first().locator("td").nth(3);
  expect((await lastRun.locator("div").allInnerTexts()).toSorted()).toEqual(means.toSorted());
  expect(means.length).toBeGreaterThan(0);
  await copyRows.getByText(dollars(run.judge_usage.cost_usd ?? Number.NaN), { exact: true }).waitFor();
  await copyRows.getByText("no ceiling").waitFor();

  await copyRows.getByRole("button", { name: "Delete" }).click();
  await copyRows
    .getByRole("group", { name: /^Delete the monitor/u })
    .getByRole("button", { name: "Delete" })
    .click();
  await eventually(async () => ((await copyRows.count()) === 0 ? true : undefined));
  await expect(client.getMonitor({ path: { monitor_id } })).rejects.toMatchObject({ status: 404 });
  expect((await client.getTraceRun({ path: { run_id: run.id } })).id).toBe(run.id);
  expect(faults).toEqual([]);
});

test("a new monitor has a ceiling unless its field is emptied, also one of sessions, whose judge costs nothing", async () => {
  const mark = randomUUID().slice(0, 8);
  const { page, faults } = await openConsole(browser(), service, "#/monitors");
  const create = async (name: string, ceiling: string | null) => {
    await page.getByRole("button", { name: "New monitor …" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("combobox", { name: "Of" }).selectOption("SESSION");
    await page.getByText(/^[\d,]+ sessions?, [\d,]+ judge calls?/u).waitFor();
    expect(await page.getByLabel("Max cost in US dollars").inputValue()).toBe("10.00");
    if (ceiling !== null) await page.getByLabel("Max cost in US dollars").fill(ceiling);
    await page.getByRole("button", { name: "Create monitor" }).click();
    await page.locator(".monitor", { hasText: name }).waitFor();
    return (await client.listMonitors({ query: { limit: 200 } })).items.find((each) => each.name === name);
  };

  expect(await create(`kept ${mark}`, null)).toMatchObject({ target_type: "SESSION", max_cost_usd: 10 });
  expect(await create(`none ${mark}`, "")).toMatchObject({ target_type: "SESSION", max_cost_usd: null });
  expect(faults).toEqual([]);
});
