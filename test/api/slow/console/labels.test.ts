import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { people } from "../../../support/users.ts";

const service = inject("service");
const { apiKey, projectName, bearerToken, projectId } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const owner = createClient({ baseUrl: service.baseUrl, credentials: { token: bearerToken } });
const browser = browserOfFile();
const { person } = people();

const traceCount = 20;
const hostile = `<img src=x onerror="document.title='run'"> ‮`;

/** Stores traces that a check has scored, of which every other one fails. @returns the part of their names that they share, and the metric. */
const storeJudgedTraces = async () => {
  const mark = `labels ${randomUUID().slice(0, 8)}`;
  const started_at = new Date().toISOString();
  const traces = Array.from({ length: traceCount }, (_, at) => ({
    name: `${mark} ${at}`,
    started_at,
    input: `Question ${at} ${hostile}`,
    output: at % 2 === 0 ? `Answer ${at}` : "Error",
    spans: [{ name: "look up", kind: "TOOL" as const, started_at, input: { at }, output: hostile }],
  }));
  const { results } = await client.createTraces({ body: { traces } });
  await client.createTrace({ body: { name: "no match", started_at } });
  const trace_ids = results.flatMap(({ trace_id: id }) => id ?? []);
  const metric = mark.replace(" ", "_");
  const check = { type: "lacks", text: "Error" };
  await client.createOwnMetric({ body: { name: metric, kind: "check", description: "No error is told.", check } });
  const { id: run_id } = await client.createTraceBatchRun({ body: { trace_ids, metrics: [metric] } });
  await eventually(async () => (await client.getTraceRun({ path: { run_id } })).completed_at ?? undefined);
  return { mark, metric };
};

/** Adds a member with the role LABELLER to the project's organization. @returns their token. */
const addLabeller = async (): Promise<string> => {
  const { email, token } = await person("Lea");
  const path = { org_id: "" };
  for await (const project of client.each.listReachableProjects({ query: { limit: 200 } }))
    if (project.id === projectId) path.org_id = project.org_id;
  const { id: invitation_id } = await owner.createInvitation({ path, body: { email, role: "LABELLER" } });
  await createClient({ baseUrl: service.baseUrl, credentials: { token } }).acceptInvitation({
    path: { invitation_id },
  });
  return token;
};

const heading = "section[aria-label=Trace] > h2";

const nameOfTrace = (page: Page): Promise<string> => page.locator(heading).innerText();

/** Key of the value that the judge gives the displayed trace: the least for one that failed, else the greatest. */
const judgeKey = async (page: Page): Promise<string> => (/[13579]$/u.test(await nameOfTrace(page)) ? "1" : "5");

/** Presses keys, of which the last one saves, and waits for the next trace or for the end. */
const label = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  const before = await nameOfTrace(page);
  for (const key of keys) await page.keyboard.press(key);
  await page
    .locator(`${heading}:not(:text-is(${JSON.stringify(before)})), main .empty`)
    .first()
    .waitFor();
};

test("two people label a list's traces by keyboard without seeing a score, and the matrix leads to the traces", async () => {
  const { mark, metric } = await storeJudgedTraces();
  const name = `${mark} set`;
  const { page, faults } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);
  await page.getByText(`${traceCount} traces`, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Label …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("checkbox", { name: "task completion" }).uncheck();
  await dialog.getByRole("checkbox", { name: mark }).check();
  await page.getByRole("button", { name: "Make label set" }).click();
  await page.getByText(`0 of ${traceCount} labels`).waitFor();
  const setUrl = page.url();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.getByRole("link", { name: "Label", exact: true }).click();
  await page.locator(".label-form").waitFor();
  expect(await page.getByRole("link", { name: "Open the trace with its scores" }).count()).toBe(0);

  const labeller = {
    baseUrl: service.baseUrl,
    tenant: { bearerToken: await addLabeller(), projectId: service.tenant.projectId },
  };
  const other = await openConsole(browser(), labeller, "#/traces");
  await other.page.getByRole("link", { name, exact: true }).waitFor();
  // Until the role is known the page of the address is read, and refused.
  const refused = other.faults.splice(0);
  expect(refused.filter((fault) => !fault.includes("status of 403"))).toEqual([]);
  expect(await other.page.locator(".top nav a").allInnerTexts()).toEqual(["Label"]);
  await other.page.getByRole("link", { name, exact: true }).click();
  await other.page.locator(".label-form").waitFor();

  const labelled = [await nameOfTrace(page), await nameOfTrace(other.page)];
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByText("Choose a value of").waitFor();
  await label(page, "0", "n", ...Array.from("not clear"), "Enter");
  labelled.push(await nameOfTrace(page));
  await label(page, (await judgeKey(page)) === "1" ? "5" : "1", "Enter");
  await label(page, "p");
  expect(await nameOfTrace(page)).toBe(labelled.at(-1));
  await label(page, "p");
  await expect.poll(() => page.getByLabel("Note").inputValue()).toBe("not clear");
  await label(page, "f");
  // Corrects the wrong value, which the matrix would show, and leads on to the next trace.
  await label(page, await judgeKey(page), "Enter");
  while (labelled.length < traceCount) {
    labelled.push(await nameOfTrace(page));
    await label(page, await judgeKey(page), "Enter");
  }
  await page.getByText("Somebody else holds the rest").waitFor();
  await label(other.page, await judgeKey(other.page), "Enter");
  await other.page.getByText("Done: every trace").waitFor();
  await page.getByRole("button", { name: "Look again" }).click();
  await page.getByText("Done: every trace").waitFor();
  expect(new Set(labelled).size).toBe(traceCount);
  expect(requests.filter((path) => /scores|\/traces/u.test(path))).toEqual([]);
  expect(await flawsInEveryLayout(other.page)).toEqual([]);

  await page.goto(setUrl);
  await page.getByText(`${traceCount} of ${traceCount} labels`).waitFor();
  await page.getByRole("button", { name: "Compare judge and labels" }).click();
  await page.locator(".verdict", { hasText: "it for" }).waitFor();
  const matrix = page.getByRole("region", { name: "Confusion matrix" });
  const texts = await matrix.getByRole("link").allInnerTexts();
  const [passes = 0, falsePasses, falseFailures, fails = 0] = texts.map(Number);
  expect([passes + fails, falsePasses, falseFailures]).toEqual([traceCount - 1, 0, 0]);
  await matrix.getByRole("link").first().click();
  const traces = page.locator("main td a, main th a").filter({ hasText: /[0-9a-f]{8}-/u });
  await expect.poll(() => traces.count()).toBe(passes);
  expect(await flawsInEveryLayout(page)).toEqual([]);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download .csv" }).click();
  const csv = readFileSync(await (await download).path(), "utf8");
  expect(csv.trim().split("\n")).toHaveLength(traceCount + 1);
  const upload = (text: string) =>
    page.getByLabel("Upload").setInputFiles({ name: "labels.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await upload(csv);
  await page.getByText("0 labels of labels.csv stored.").waitFor();
  await upload(csv.replace("not clear", "clear"));
  await page.getByRole("alert").getByText("line -> ").waitFor();

  await page.goto(setUrl.replace(/#.*$/u, "#/dashboard"));
  await page.getByRole("link", { name: /^\d.*, 19 labels$/u }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Close set" }).click();
  await page
    .getByRole("group", { name: /^Close it\?/u })
    .getByRole("button", { name: "Close set" })
    .click();
  await page.locator(".status", { hasText: "closed" }).waitFor();
  await traces.first().click();
  await page.locator(".verdict", { hasText: /by (?:you|Lea)/u }).waitFor();
  await page.getByText("Question").first().waitFor();
  const traceUrl = page.url();
  const copy = { name: `${name} 2`, metrics: [{ name: metric }], filters: { name: mark } };
  await page.goto(setUrl.replace(/[^/]*$/u, (await client.createLabelSet({ body: copy })).id));
  await page.getByText(`0 of ${traceCount} labels`).waitFor();
  const traceId = /[0-9a-f-]{36}$/u.exec(traceUrl)?.[0];
  await upload(`trace_id,labeller,labels.${metric},note\n${traceId},Ada,1,"by mail, later"\n`);
  await page.getByText("1 label of labels.csv stored.").waitFor();
  await page.getByText(`1 of ${traceCount} labels`).waitFor();
  expect(await page.title()).not.toBe("run");
  // A judge that was not compared yet is a 404, and the refused file a 422.
  expect([...faults, ...other.faults].filter((fault) => !/status of (?:404|422)/u.test(fault))).toEqual([]);
});

test("keys give values from the worst to the best and whole numbers by their digits, and a changed trace is passed over", async () => {
  const started_at = new Date().toISOString();
  const name = `scales ${randomUUID().slice(0, 8)}`;
  const traces = Array.from({ length: traceCount }, () => ({ name, started_at, output: "Hello" }));
  await client.createTraces({ body: { traces } });
  const numbers = (min: number, max: number) => ({ data_type: "NUMERIC" as const, min, max, threshold: max - 1 });
  const metrics = [
    { name: "polite", scale: { data_type: "BOOLEAN" as const } },
    { name: "fit", scale: { data_type: "CATEGORICAL" as const, categories: ["good", "poor"], passing: ["good"] } },
    { name: "stars", scale: numbers(0, 5) },
    { name: "points", scale: numbers(0, 100) },
  ];
  const { id: set_id } = await client.createLabelSet({ body: { name, metrics, filters: { name }, blind: false } });
  const { page, faults } = await openConsole(browser(), service, `#/label/${set_id}`);
  const link = page.getByRole("link", { name: "Open the trace with its scores" });
  const href = (await link.getAttribute("href")) ?? "";
  const trace_id = /[0-9a-f-]{36}$/u.exec(href)?.[0] ?? "";
  await client.updateTrace({ path: { trace_id }, body: { output: "Goodbye" } });
  await page.reload();
  await page.getByText(`0 of ${traceCount - 1} labels`).waitFor();
  expect(await link.getAttribute("href")).not.toBe(href);
  expect(await page.getByRole("radio", { name: /passes|fails/u }).count()).toBe(10);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  for (const key of ["1", "2", "0", "v", "7", "0", "Enter"]) await page.keyboard.press(key);
  await page.getByText(`1 of ${traceCount - 1} labels`).waitFor();
  const { items } = await client.listLabelItems({ path: { set_id } });
  const values = { polite: "false", fit: "good", stars: "0", points: "70" };
  expect(items.flatMap(({ labels }) => labels)).toMatchObject([{ values }]);
  await page.evaluate(`location.hash = "#/label-sets/${set_id}"`);
  await page.getByRole("button", { name: "Close set" }).click();
  await page.getByRole("group", { name: `${traceCount - 2} labels missing` }).waitFor();
  // No judge was compared yet.
  expect(faults.filter((fault) => !fault.includes("status of 404"))).toEqual([]);
});
