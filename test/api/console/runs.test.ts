import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import { flawsInEveryLayout } from "../../support/browser/accessibility.ts";
import { openConsole } from "../../support/browser/browser.ts";
import { browserOfFile } from "../../support/browser/file-browser.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });

const browser = browserOfFile();

/** Creates traces with a mark in their names, in a session of that name. */
const tracesOf = async (count: number) => {
  const mark = `runs ${randomUUID().slice(0, 8)}`;
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

test("a run is stopped on its page while it judges, and is gone while its scores stay", async () => {
  const { ids } = await tracesOf(400);
  const { id } = await client.createTraceBatchRun({
    body: { trace_ids: ids, metrics: ["task_completion", "tool_correctness"] },
  });
  const { page, faults } = await openConsole(browser(), service, `#/runs/${id}`);
  await page.locator(".score-row").first().waitFor();

  await page.getByRole("button", { name: "Stop and delete" }).click();
  const question = page.getByRole("group", { name: /^Stop this run and delete it/u });
  await question.getByLabel(/^delete its \d+ scores? too \(otherwise they stay\)$/u).waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  expect((await client.getTraceRun({ path: { run_id: id } })).status).toBe("RUNNING");
  await page.getByRole("button", { name: "Stop and delete" }).click();
  await question.getByRole("button", { name: "Stop and delete" }).click();
  await page.waitForURL(/#\/runs$/u);

  await expect(client.getTraceRun({ path: { run_id: id } })).rejects.toMatchObject({ status: 404 });
  const { total } = await client.listTraceScores({ query: { eval_run_id: id, limit: 1 } });
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(800);
  expect(faults).toEqual([]);
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
