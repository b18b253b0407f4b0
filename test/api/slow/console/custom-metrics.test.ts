import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const mark = `m${randomUUID().slice(0, 8)}`;

const browser = browserOfFile();

let trace = "";
beforeAll(async () => {
  const body = { name: mark, started_at: new Date().toISOString(), input: "Hello", output: "Hello." };
  trace = (await client.createTrace({ body })).trace_id;
}, 120_000);

test("a metric of the gallery is opened in the editor with its lint warnings, created and changed, and its versions are compared and can be read after its deletion", async () => {
  const name = `${mark}_tone`;
  const { page, faults } = await openConsole(browser(), service, "#/metrics");
  await page.getByRole("link", { name: "Custom metrics", exact: true }).click();
  await page.getByRole("link", { name: "From the gallery" }).click();
  await page.getByRole("note").getByText("The local rules judge (offline/rules) cannot try these metrics").waitFor();
  const item = page.getByRole("article", { name: "tone", exact: true });
  await item.getByLabel("Name").fill(name);
  await item.getByRole("button", { name: "Open in the editor" }).click();
  const instructions = page.getByLabel(/^Instructions/u);
  const visibleFields = page.locator("form.editor").locator("input:visible, select:visible, textarea:visible");
  const advanced = page.getByText(/^Advanced: scale/u);
  await page.getByText("✓ No warnings.").waitFor();
  await instructions.fill("Rate the tone on a scale from 1 to 10.");
  await page.getByText("is a scale of numbers").waitFor();
  await page.getByText("! 1 warning.").waitFor();
  expect(await instructions.getAttribute("aria-describedby")).toBe("note-instructions");
  expect(await visibleFields.count()).toBeLessThan(16);
  expect(await page.getByLabel("Success threshold").isVisible()).toBe(false);
  await advanced.click();
  expect(await visibleFields.count()).toBeGreaterThan(30);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await advanced.click();
  await instructions.fill("The agent sells flights.\nIt is polite.");
  await page.getByText("✓ No warnings.").waitFor();
  await page.getByText(/^Score: 1\.0 and success: /u).waitFor();
  const preview = page.getByRole("region", { name: "Preview" });
  const picker = preview.getByRole("combobox", { name: "Trace" });
  expect(await picker.locator("option", { hasText: mark }).first().textContent()).toContain(": Hello");
  await picker.selectOption("other");
  await preview.getByLabel("Trace id").fill(trace);
  await preview.getByText(/^1 prompt of [\d,]+ characters, /u).waitFor();
  await preview.getByRole("button", { name: "Run preview" }).click();
  await preview.getByRole("article", { name: "Result" }).getByText("1 call", { exact: true }).waitFor();
  await preview.getByText("Judge prompt").click();
  expect(await preview.locator("pre").allTextContents()).toContainEqual(expect.stringContaining("It is polite."));
  expect((await client.listTraceScores({ query: { trace_id: trace } })).total).toBe(0);
  await page.getByRole("button", { name: "Create metric" }).focus();
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name }).waitFor();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await instructions.fill("The agent sells flights.\nIt is kind.");
  await page.getByText(/^Advanced: scale/u).click();
  await page.getByLabel("Success threshold").fill("0.75");
  await page.getByRole("button", { name: "Create version 2" }).click();
  const difference = page.getByRole("region", { name: "Difference" });
  await difference.getByText("From version 1 to version 2").waitFor();
  expect(await difference.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["instructions", "threshold"]);
  await difference.locator("li").nth(4).waitFor();
  expect(await difference.locator("li").allTextContents()).toEqual([
    " The agent sells flights.",
    "−removed: It is polite.",
    "+added: It is kind.",
    "−removed: 0.5",
    "+added: 0.75",
  ]);
  expect((await client.getOwnMetric({ path: { metric_name: name } })).version).toBe(2);
  const scored = page.getByRole("region", { name: "Scores by version" });
  await scored.getByText("No scores in the last 14 days.").nth(1).waitFor();
  expect(await scored.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["Version 2", "Version 1"]);
  expect(await flawsInEveryLayout(page)).toEqual([]);

  const definition = page.getByRole("region", { name: "Definition" });
  await definition.getByText(/^Score: 1\.0 and success: /u).waitFor();

  const monitor = { name: mark, target_type: "TRACE", metrics: [name], cadence: "daily" } as const;
  await client.createMonitor({ body: monitor });
  const score = { trace_id: trace, name, value: 1, data_type: "NUMERIC", metadata: { metric_version: 1 } } as const;
  await client.createTraceScore({ body: score });
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator("button.danger").click();
  await page.getByText(`${name} is deleted`).waitFor();
  await page.reload();
  await page.getByText(`${name} is deleted`).waitFor();
  expect(await definition.locator("pre").first().textContent()).toContain("It is kind.");
  await page.evaluate(`location.hash = "#/traces/${trace}"`);
  await page.getByRole("link", { name: "metric version 1" }).click();
  await page.getByText(`${name} is deleted`).waitFor();
  expect(await definition.locator("pre").first().textContent()).toContain("It is polite.");
  await page.evaluate(`location.hash = "#/monitors"`);
  await page
    .locator(".monitor", { hasText: mark })
    .getByText(/^✕ Paused by the service: .*was deleted/u)
    .waitFor();
  const { items } = await client.listOwnMetrics({ query: { limit: 100 } });
  expect(items.filter((each) => each.name === name && each.deleted_at === null)).toEqual([]);
  expect(faults).toEqual([]);
});
