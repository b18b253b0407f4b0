import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeAll, expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { flawsInEveryLayout, flawsOf } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const mark = `trouble ${randomUUID().slice(0, 8)}`;

const browser = browserOfFile();
let id = "";
beforeAll(async () => {
  const { trace_id } = await client.createTrace({
    body: { name: mark, started_at: new Date().toISOString(), input: "Hello", output: "Hello." },
  });
  id = trace_id;
  await client.createTraceBatchRun({ body: { trace_ids: [id], metrics: ["task_completion"] } });
  await eventually(async () => (await client.getTraceScores({ path: { score_id: id } }))[0]);
}, 120_000);

const refuse = (page: Page, path: RegExp, status: number, headers: Readonly<Record<string, string>> = {}) =>
  page.route(path, (route) =>
    route.fulfill({
      status,
      headers: { "x-request-id": "r-1", ...headers },
      json: { detail: `Said with ${status}.`, request_id: "r-1" },
    }),
  );

test("a refusal is shown with its request id, the input is kept, and another attempt succeeds", async () => {
  const { page } = await openConsole(browser(), service, `#/traces/${id}`);
  await page.getByRole("button", { name: "Evaluate …" }).click();
  await page.getByText(/1 judge call/u).waitFor();
  await page.getByLabel("Max cost in US dollars").fill("0.25");
  await page.getByText(/1 judge call/u).waitFor();
  const trouble = page.getByRole("alert");
  for (const [status, headers, message] of [
    [403, {}, "You are not allowed to do this."],
    [429, { "Retry-After": "90" }, /^Too many requests\. Try again in \d\d s, at \d\d:\d\d:\d\d\.$/u],
    [500, {}, "Internal error of the service."],
  ] as const) {
    await refuse(page, /\/trace-runs\/batch$/u, status, headers);
    await page
      .getByRole("button", { name: /^(?:Evaluate now|Try again)$/u })
      .last()
      .click();
    await trouble.getByText(message).waitFor();
    await trouble.getByText("r-1").waitFor();
    expect(await page.getByLabel("Max cost in US dollars").inputValue()).toBe("0.25");
    await page.unrouteAll();
  }

  await trouble.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Run started").waitFor();
});

test("the use of each ceiling is shown above the runs, and a run that waits for a ceiling names it with a link", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/monitors");
  const answer = (path: RegExp, change: (reply: Record<string, unknown>) => object) =>
    page.route(path, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: change((await response.json()) as Record<string, unknown>) });
    });
  const budget = { ceiling_usd: 2, spent_usd: 1.5, reserved_usd: 0.25, left_usd: 0.25, used_percent: 87 };
  const ceilingMessage = "The deployment has reached its ceiling of $8.00 for judging in November 2026.";
  await answer(/\/evaluations\/spend$/u, (reply) => ({ ...reply, project: budget, deployment: { used_percent: 100 } }));
  await answer(/\/trace-runs\/[0-9a-f-]{36}$/u, (reply) => ({ ...reply, waiting_for: ceilingMessage }));
  await page.getByRole("link", { name: "Runs" }).click();
  const spend = page.getByRole("region", { name: "Monthly spend" });
  await spend
    .getByText("This project: $1.50 of $2.00 spent, $0.25 reserved for running judgements, $0.25 left")
    .waitFor();
  await spend.getByText("87 %, nearly used up").waitFor();
  await spend.getByText("100 %, used up").waitFor();
  expect(await flawsOf(page)).toEqual([]);

  await page.locator(".run-row a").first().click();
  await page.getByText(ceilingMessage).waitFor();
  await page.getByRole("link", { name: "Ceiling usage" }).click();
  await spend.waitFor();
  expect(faults).toEqual([]);
});

test("a lost connection is reported, the content stays, and updates continue when it is back", async () => {
  const { page } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);
  await page.getByText("1 trace", { exact: true }).waitFor();

  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Runs" }).click();
  await page.getByText("The service is unreachable. The data shown may be outdated.").waitFor();
  await page.context().setOffline(false);

  await page.locator(".run-row").first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.goBack();
  await page.getByText("1 trace", { exact: true }).waitFor();
});

test("loads that fail for the same cause have one alert, whose button repeats all of them", async () => {
  const { page } = await openConsole(browser(), service, "#/monitors");
  await page.clock.install();
  await refuse(page, /\/traces(?:\?|\/analytics)/u, 429, { "Retry-After": "90" });
  await page.getByRole("link", { name: "Traces" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText(/^Too many requests\. Try again in \d\d s/u).waitFor();
  await page.clock.fastForward(91_000);
  await page.getByText("Too many requests. Try again now.").waitFor();
  expect(await alert.count()).toBe(1);
  await page.unrouteAll();
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.clock.runFor(1_000);
  await page.locator(".trace-row").first().waitFor();
  await page.locator(".strip").waitFor();
  expect(await alert.count()).toBe(0);

  // A short limit is waited for, and reported meanwhile.
  await refuse(page, /\/trace-runs\?/u, 429, { "Retry-After": "9" });
  await page.getByRole("link", { name: "Runs" }).click();
  await page.getByText(/^Too many requests\. The console continues in \d s, at/u).waitFor();
  await page.unrouteAll();
  await page.clock.fastForward(12_000);
  await page.locator(".run-row").first().waitFor();
  expect(await page.getByText("Too many requests").count()).toBe(0);
});

test("warnings of replies, such as a total that lacks items, are shown until another list is asked for", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page
    .locator(".said")
    .getByText(/^\d+ traces?$/u)
    .waitFor();
  await page.route(/\/traces\?.*limit=100/u, async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), "x-warnings": String.raw`"Some days lack 5 %: 1%E2%80%932.", "A \"b\""` };
    await route.fulfill({ response, headers });
  });
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  const texts = page.locator(".notices p");
  await texts.first().waitFor();

  expect(await texts.allInnerTexts()).toEqual(["Some days lack 5 %: 1–2.", 'A "b"']);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.unrouteAll();
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await texts.first().waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

test("a slow reply is reported as slow, and the page is shown in the meantime", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/monitors");
  await page.clock.install();
  let answer = (): void => {};
  const answerAllowed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/traces\?/u, async (route) => {
    await answerAllowed;
    await route.continue();
  });
  await page.getByRole("link", { name: "Traces" }).click();
  await page.getByText("Loading traces …").waitFor();
  await page.clock.fastForward(5_000);
  await page.getByText("The service is slow; still waiting.").waitFor();
  await page.getByRole("button", { name: "Failed", exact: true }).waitFor();
  answer();
  await page.clock.runFor(1_000);
  await page.locator(".trace-row").first().waitFor();
  expect(faults).toEqual([]);
});

test("the selection is in the address: a reload and another tab show the same", async () => {
  const hash = `#/traces?name=${encodeURIComponent(mark)}&max_cost=5`;
  const { page, faults } = await openConsole(browser(), service, hash);
  await page.getByText("1 trace", { exact: true }).waitFor();
  await page.getByRole("button", { name: "+ Filter" }).click();
  await page.getByLabel("Filter", { exact: true }).selectOption("score");
  await page.getByLabel("Value").fill("task_completion>=0");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove filter score task_completion>=0" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Remove filter score task_completion>=0" }).waitFor();
  await page.getByText("1 trace", { exact: true }).waitFor();
  await page.getByRole("button", { name: `Remove filter name contains ${mark}` }).waitFor();

  const otherTab = await openConsole(browser(), service, new URL(page.url()).hash);
  await otherTab.page.getByText("1 trace", { exact: true }).waitFor();
  await otherTab.page.getByRole("button", { name: /^Remove filter score/u }).click();
  await page.getByRole("button", { name: "Remove filter score task_completion>=0" }).waitFor();
  expect([faults, otherTab.faults]).toEqual([[], []]);
});

test("the first page is shown after three requests and those of its files; the others are sent afterwards", async () => {
  const { page } = await openConsole(browser(), service, "#/traces");
  const project = page.locator(".who option", { hasText: projectName }).first();
  await page.locator(".trace-row").first().waitFor();
  // Requests that are delayed on the first visit must not be counted for the second.
  await project.waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
  const requestPaths: string[] = [];
  let answered = false;
  const early: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    requestPaths.push(pathname);
    if (!answered) early.push(pathname);
  });
  page.on("requestfinished", (request) => {
    if (new URL(request.url()).pathname.endsWith("/traces")) answered = true;
  });
  await page.reload();
  await page.locator(".trace-row").first().waitFor();
  await project.waitFor({ state: "attached" });

  const earlyData = early.filter((path) => !path.includes("/assets/"));
  expect(earlyData.map((path) => path.split("/").at(-1)).toSorted()).toEqual(["console", "traces", "traces"]);
  expect(requestPaths.length).toBeGreaterThan(early.length);
});

test("a small trace is requested once, opened from the list or by its address", async () => {
  const { page, faults } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);
  const searches: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.endsWith(`/traces/${id}`)) searches.push(search);
  });
  await page.locator(".trace-row").click();
  await page.getByText("Hello.", { exact: true }).first().waitFor();
  expect(searches).toEqual(["?fields=auto"]);

  await page.reload();
  await page.getByText("Hello.", { exact: true }).first().waitFor();
  expect(searches).toEqual(["?fields=auto", "?fields=auto"]);
  expect(faults).toEqual([]);
});
