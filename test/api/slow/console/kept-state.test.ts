import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Page, Route } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const at = (seconds: number): string => new Date(Date.now() - 600_000 + seconds * 1_000).toISOString();

const browser = browserOfFile();

const delayed =
  (milliseconds: number) =>
  async (route: Route): Promise<void> => {
    await pause(milliseconds);
    await route.continue();
  };

/** Creates traces with a mark in their names, in order. */
const tracesOf = async (
  number: number,
  session?: string,
): Promise<{ readonly mark: string; readonly ids: string[] }> => {
  const mark = `stays ${randomUUID().slice(0, 8)}`;
  const traces = Array.from({ length: number }, (_, index) => ({
    trace_id: randomUUID(),
    name: `${mark} ${index}`,
    started_at: at(index),
    ended_at: at(index + 1),
    input: `Question ${index}?`,
    output: `Answer ${index}.`,
    session_id: session ?? null,
  }));
  for (let start = 0; start < number; start += 100)
    await client.createTraces({ body: { traces: traces.slice(start, start + 100) } });
  return { mark, ids: traces.map(({ trace_id: id }) => id) };
};

const listOf = (mark: string): string => `#/traces?name=${encodeURIComponent(mark)}`;

const scrollTo = (page: Page, top: number) => page.evaluate(`document.querySelector('.rows').scrollTo(0, ${top})`);

test("the text of the search is kept while replies to earlier texts still arrive", async () => {
  await client.createTrace({ body: { name: "kept", started_at: new Date().toISOString(), session_id: "kept" } });
  const { page, faults } = await openConsole(browser(), service, "#/sessions");
  const search = page.getByRole("searchbox", { name: "Search by session id" });
  await page.getByText(/^\d+ sessions?$/u).waitFor();
  await page.route(/\/sessions\?/u, delayed(150));

  // The reply to the first word arrives while the second is typed.
  await search.pressSequentially("slow");
  await page.waitForRequest(/query=slow/u);
  await search.pressSequentially(" answers", { delay: 60 });

  expect(await search.inputValue()).toBe("slow answers");
  await page.waitForRequest(/query=slow(?:\+|%20)answers/u);
  expect(await search.inputValue()).toBe("slow answers");

  // Leaving the page cancels a search that has not begun yet.
  await search.pressSequentially("!");
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.getByRole("button", { name: "New run …" }).waitFor();
  await pause(400);
  expect(await page.evaluate("location.hash")).toBe("#/runs");
  expect(faults).toEqual([]);
});

test("two clicks start one run, and create one monitor that is triggered once", async () => {
  const { mark } = await tracesOf(1);
  const { page, faults } = await openConsole(browser(), service, listOf(mark));
  const createdPaths: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === "POST" && !search.includes("dry_run"))
      createdPaths.push(pathname.replaceAll(/[\da-f-]{36}/gu, "id"));
  });
  await page.route(/\/evaluations\/(?:trace-runs|monitors)/u, async (route) => {
    if (route.request().method() === "POST") await pause(300);
    await route.continue();
  });

  await page.getByRole("button", { name: "Evaluate all …" }).click();
  await page
    .getByText(/about \$0/u)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Evaluate now" }).dblclick();
  await page.getByText("Run started").waitFor();
  await page.getByRole("link", { name: "View run" }).click();
  await page.evaluate(`location.hash = ${JSON.stringify(listOf(mark).replace("traces", "monitors"))}`);
  await page.getByRole("button", { name: "New monitor …" }).click();
  await page.getByLabel("Name", { exact: true }).fill(mark);
  await page
    .getByText(/about \$0/u)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Create monitor" }).dblclick();
  const card = page.locator(".monitor", { hasText: mark });
  await card.getByRole("button", { name: "Run now …" }).click();
  await page.getByRole("button", { name: "Run now", exact: true }).dblclick();
  await page.getByText("Run started").waitFor();

  expect(createdPaths).toEqual([
    "/evaluations/trace-runs",
    "/evaluations/monitors",
    "/evaluations/monitors/id/trigger",
  ]);
  expect(faults).toEqual([]);
});

test("a reply that arrives after the user has left the page opens no other page", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/metric-gallery");
  await page.route(/\/evaluations\//u, async (route) => {
    if (route.request().method() === "POST") await pause(500);
    await route.continue();
  });
  const card = page.locator("article", { has: page.getByRole("heading", { name: "tone", exact: true }) });
  await card.getByLabel("Name").fill(`left_${randomUUID().slice(0, 8)}`);

  const copied = page.waitForResponse((response) => response.request().method() === "POST");
  await card.getByRole("button", { name: "Copy unchanged" }).click();
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  expect((await copied).status()).toBe(201);
  await page.getByRole("button", { name: "New run …" }).waitFor();
  await pause(200);

  expect(new URL(page.url()).hash).toBe("#/runs");
  expect(faults).toEqual([]);
});

test("going back returns to the row of the list and to the position in the conversation", async () => {
  const session = `stays ${randomUUID()}`;
  const { mark } = await tracesOf(45, session);
  const { page, faults } = await openConsole(browser(), service, listOf(mark));
  await page.getByText("45 traces", { exact: true }).waitFor();
  await scrollTo(page, 900);
  const row = page.locator(".trace-row", { hasText: `${mark} 20` });
  const scrolled = await page.evaluate("document.querySelector('.rows').scrollTop");
  expect(scrolled).toBeGreaterThan(200);
  await row.click();
  await page.getByText("Answer 20.").waitFor();

  // The control that steps between traces keeps the focus.
  await page.getByRole("button", { name: "Next ]" }).press("Enter");
  await page.getByText("Answer 19.").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Answer 18.").waitFor();
  await page.getByText("27 of 45").waitFor();
  for (const answer of [19, 20]) {
    await page.goBack();
    await page.getByText(`Answer ${answer}.`).waitFor();
  }
  await page.getByText("25 of 45").waitFor();
  // What stands above the list may appear after it.
  await page.route(/\/(?:analytics|traces\?)/u, delayed(500));
  await page.goBack();
  await row.waitFor();
  // `waitForFunction` evaluates a text again in the page, whose policy forbids that, if it is not true at once.
  await expect.poll(() => page.evaluate("document.querySelector('.rows').scrollTop")).toBe(scrolled);

  await page.evaluate(`location.hash = ${JSON.stringify(`#/sessions/${encodeURIComponent(session)}`)}`);
  await page.getByText("Answer 0.").waitFor();
  // More of the conversation is loaded on scrolling.
  for (const last of [19, 39, 44]) await page.getByText(`Answer ${last}.`).scrollIntoViewIfNeeded();
  const link = page.getByRole("link", { name: `${mark} 30` });
  await link.scrollIntoViewIfNeeded();
  const before = await page.evaluate("scrollY");
  await link.click();
  await page.getByText("Spans", { exact: true }).waitFor();
  await page.goBack();
  await link.waitFor();
  expect(await page.evaluate("scrollY")).toBe(before);
  expect(faults).toEqual([]);
});

test("a trace that is reached by a link does not show a position in an earlier list", async () => {
  const [{ mark }, elsewhere] = [await tracesOf(2), await tracesOf(1)];
  const { page } = await openConsole(browser(), service, listOf(mark));
  await page.locator(".trace-row").first().click();
  await page.getByText("1 of 2", { exact: true }).waitFor();

  await page.evaluate(`location.hash = "#/traces/${elsewhere.ids[0]}"`);
  await page.getByRole("heading", { name: `${elsewhere.mark} 0` }).waitFor();

  expect(await page.getByText("1 of 2", { exact: true }).count()).toBe(0);
});

test("a list that is reloaded stays unchanged until the reply has arrived", async () => {
  const { mark } = await tracesOf(110);
  const { page } = await openConsole(browser(), service, listOf(mark));
  await page.getByText("110 traces", { exact: true }).waitFor();
  await scrollTo(page, 1_000_000);
  const last = page.locator(".trace-row", { hasText: `${mark} 0` });
  await last.getByRole("checkbox").check();
  await page.route(/\/traces\?/u, delayed(500));

  await page.getByLabel("Tag", { exact: true }).fill("kept");
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByText("loading …").waitFor();

  expect([await last.count(), await page.locator(".row.waiting").count()]).toEqual([1, 0]);
  await page.locator(".trace-row", { hasText: "kept" }).waitFor();
});

test("a range of traces is selected with Shift, by mouse and by keyboard", async () => {
  const { mark } = await tracesOf(25);
  const { page } = await openConsole(browser(), service, listOf(mark));
  await page.getByText("25 traces", { exact: true }).waitFor();

  await page.getByRole("checkbox", { name: `Select ${mark} 23`, exact: true }).check();
  await page.getByRole("checkbox", { name: `Select ${mark} 20`, exact: true }).click({ modifiers: ["Shift"] });
  await page.getByText("4 traces selected").waitFor();
  await page.getByRole("button", { name: "Clear" }).click();

  await page.keyboard.press("x");
  for (let pressed = 0; pressed < 19; pressed += 1) await page.keyboard.press("j");
  await page.keyboard.press("X");
  await page.getByText("20 traces selected").waitFor();
  expect(await page.getByRole("row", { selected: true }).count()).toBeGreaterThan(5);
});

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
