import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const browser = browserOfFile();

test("a page that is reloaded while a correction is stored never offers to reverse it, and says which words were not sent", async () => {
  const trace_id = randomUUID();
  await client.createTrace({ body: { trace_id, name: "mended", started_at: new Date().toISOString(), input: "Hi" } });
  await client.createTraceBatchRun({ body: { trace_ids: [trace_id], metrics: ["task_completion"] } });
  const path = { score_id: trace_id };
  const before = await eventually(async () => (await client.getTraceScores({ path }))[0]);
  const { page, faults } = await openConsole(browser(), service, `#/traces/${trace_id}`);
  const card = page.locator(".verdict", { hasText: "task completion" });
  await card.getByRole("button", { name: "Disagree" }).click();
  await page.keyboard.type("It did say why.");
  // The reply never reaches the page that sent the correction.
  await page.route(/\/evaluations\/trace-scores\//u, async (route) => {
    if (route.request().method() !== "PATCH") return await route.continue();
    await route.fetch();
    await pause(60_000);
  });
  await card.getByRole("button", { name: "Correct it" }).click();
  await eventually(async () =>
    (await client.getTraceScores({ path }))[0]?.source === "ANNOTATION" ? true : undefined,
  );
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.reload();
  await card.getByText("before a person corrected it").waitFor();

  expect(await card.getByText("It should be").count()).toBe(0);
  expect(await card.getByText("Not sent").count()).toBe(0);
  await page.keyboard.press("d");
  await page.keyboard.press("Enter");
  const [after] = await client.getTraceScores({ path });
  expect([after?.value === before.value, after?.reason]).toEqual([false, "It did say why."]);

  // Words beside the decision of somebody else are neither lost nor offered.
  await page.evaluate(
    `sessionStorage.setItem("assay-draft " + ${JSON.stringify(service.tenant.projectId)} + " reason ${after?.id}", JSON.stringify("Mine"))`,
  );
  await page.reload();
  await card.getByText("Not sent, as somebody has decided meanwhile: Mine").waitFor();
  expect(await card.getByText("It should be").count()).toBe(0);
  expect(faults).toEqual([]);
});
