import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { count, dollars, duration } from "../../../../../lib/console/format.ts";
import { flawsInEveryLayout } from "../../../../support/browser/accessibility.ts";
import { openConsole } from "../../../../support/browser/browser.ts";
import { browserOfFile } from "../../../../support/browser/file-browser.ts";
import { cellsOf, createListProject, hour, sharedListProject } from "../../../../support/browser/list-project.ts";

const browser = browserOfFile();

const rowOf = (page: Page, row: string) => page.locator(`.${row}-row`).first();

test("the most expensive session is the first by cost, and every row has the figures of the API, as have users", async () => {
  const { client, service } = await sharedListProject();
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await page.getByText("15 sessions", { exact: true }).waitFor();
  const ordered = page.waitForResponse((response) => /\/sessions\?.*sort_by=cost/u.test(response.url()));
  await page.getByRole("button", { name: "Cost", exact: true }).click();
  await ordered;
  await page
    .getByRole("columnheader", { name: "Cost", exact: true })
    .and(page.locator("[aria-sort=descending]"))
    .waitFor();

  const { items: sessions } = await client.listSessions({ query: { sort_by: "cost", limit: 15 } });
  await page
    .locator(".session-row", { hasText: sessions[0]?.session_id ?? "" })
    .first()
    .waitFor();
  const shown = (await cellsOf(page, "session")).map((row) => [row[2], row[4], row[5], row[6], row[7], row[8]]);
  expect(shown).toEqual(
    sessions
      .slice(0, shown.length)
      .map((each) => [
        each.session_id,
        count(each.trace_count),
        duration(each.total_latency_ms),
        count(each.total_tokens),
        dollars(each.total_cost),
        each.user_id,
      ]),
  );
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await rowOf(page, "session").click();
  await page.getByRole("heading", { name: sessions[0]?.session_id ?? "", exact: true }).waitFor();

  await page.evaluate(`location.hash = "#/users?sort_by=errors"`);
  await page.getByText("5 users", { exact: true }).waitFor();
  const { items: users } = await client.listUsers({ query: { sort_by: "errors" } });
  expect((await cellsOf(page, "user")).map((row) => row.slice(0, 6))).toEqual(
    users.map((each) => [
      each.user_id,
      count(each.trace_count),
      count(each.error_count),
      duration(each.total_latency_ms),
      count(each.total_tokens),
      dollars(each.total_cost),
    ]),
  );
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("a user's page has their totals, traces and sessions, and the traces opened from it are stepped through", async () => {
  const { client, service } = await sharedListProject();
  const { page, faults } = await openConsole(browser(), service, "#/users");
  await page.locator(".user-row", { hasText: "user 2" }).click();
  await page.getByRole("heading", { name: "user 2" }).waitFor();
  const [user] = (await client.listUsers({ query: { user_id: "user 2" } })).items;
  await page.getByText(`${user?.error_count} failed`).first().waitFor();
  await page
    .getByText(dollars(user?.total_cost ?? 0), { exact: true })
    .first()
    .waitFor();
  await page.locator(".said").getByText("12 traces", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Failed", exact: true }).click();
  const { total } = await client.listTraces({ query: { user_id: "user 2", status: "ERROR" } });
  await page
    .locator(".said")
    .getByText(total === 1 ? "1 trace" : `${total} traces`, { exact: true })
    .waitFor();
  await rowOf(page, "trace").click();
  await page.getByText(`1 of ${total}`, { exact: true }).waitFor();
  await page.goBack();

  await page.getByRole("link", { name: "Sessions", exact: true }).last().click();
  const sessions = await client.listSessions({ query: { user_id: "user 2" } });
  await page.getByText(`${sessions.total} sessions`, { exact: true }).waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("an evaluation from a user's page is estimated and started for the traces of that user only", async () => {
  const { client, service } = await createListProject(15);
  const { page, faults } = await openConsole(browser(), service, "#/users/user%202?has_session=true");
  await page.locator(".said").getByText("3 traces", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Evaluate all …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator(".estimate").getByText("3 traces,").waitFor();
  await dialog.locator(".chip").getByText("user user 2").waitFor();
  expect(await dialog.getByRole("button", { name: /^Remove filter/u }).allInnerTexts()).toEqual(["in a session ✕"]);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Evaluate now" }).click();
  await dialog.getByText("Run started").waitFor();

  const [run] = (await client.listTraceRuns({ query: {} })).items;
  expect(run?.filters).toMatchObject({ user_id: "user 2", has_session: true });
  expect(faults).toEqual([]);
});

test("a list is sorted by its heads, as far as the API can, and by scores, the lowest first", async () => {
  const { client, service } = await createListProject(30);
  const { items } = await client.listTraces({ query: { limit: 3 } });
  for (const [index, { trace_id }] of items.entries())
    await client.createTraceScore({
      body: { trace_id, name: "taste", value: String(0.9 - index * 0.3), data_type: "NUMERIC" },
    });
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page.getByText("30 traces", { exact: true }).waitFor();
  expect(await page.locator(".row-head button").allInnerTexts()).toEqual([
    expect.stringContaining("Status"),
    "Trace",
    "Duration",
    "Tokens",
    "Cost",
    "When ↓",
  ]);

  for (const [order, sign] of [
    ["desc", "↓"],
    ["asc", "↑"],
  ] as const) {
    await page.getByRole("button", { name: "Duration" }).click();
    await page.locator(".row-head button", { hasText: `Duration ${sign}` }).waitFor();
    const [first] = (await client.listTraces({ query: { sort_by: "latency", sort_order: order, limit: 1 } })).items;
    await page.locator("#row-0", { hasText: duration(first?.latency_ms ?? null) }).waitFor();
  }
  await page.getByRole("button", { name: "Status", exact: true }).click();
  await page.getByRole("columnheader", { name: "Status" }).and(page.locator("[aria-sort=descending]")).waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.getByLabel("Order").focus();
  await page.getByLabel("Order").getByText("Lowest taste first").waitFor({ state: "attached" });
  await page.getByLabel("Order").selectOption({ label: "Lowest taste first" });
  await page.locator("#row-0", { hasText: "0.3" }).waitFor();
  expect(faults).toEqual([]);
});

test("the chart, the list and the API count the same traces and failures of yesterday in the browser's time zone", async () => {
  const { client, service } = await sharedListProject();
  // India is 5 h 30 min ahead of UTC all year: its days start within an hour of UTC.
  const offset = 5.5 * hour;
  const midnight = Math.floor((Date.now() + offset) / (24 * hour)) * 24 * hour - offset;
  const window = {
    started_after: new Date(midnight - 24 * hour).toISOString(),
    started_before: new Date(midnight).toISOString(),
  };
  const { total } = await client.listTraces({ query: window });
  const { total: failed } = await client.listTraces({ query: { ...window, status: "ERROR" } });
  expect(total).toBeGreaterThan(15);
  expect(failed).toBeGreaterThan(0);
  const { page, faults } = await openConsole(browser(), service, "#/traces", { timezoneId: "Asia/Kolkata" });
  await page.getByText("60 traces", { exact: true }).waitFor();
  await page.getByRole("img", { name: /^60 traces, 7 failed, / }).waitFor();

  await page.getByLabel("Time", { exact: true }).selectOption("yesterday");
  await page.locator(".said").getByText(`${total} traces`, { exact: true }).waitFor();
  await page.getByRole("img", { name: new RegExp(`^${total} traces, ${failed} failed, `, "u") }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/traces?range=yesterday");
  await page.getByRole("img", { name: /, from .*, 00:00 to / }).waitFor();
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await page
    .locator(".said")
    .getByText(new RegExp(`^${failed} traces?$`, "u"))
    .waitFor();

  await page.getByLabel("Time", { exact: true }).selectOption("custom");
  await page.getByLabel("Until", { exact: true }).waitFor();
  const [from, until] = [page.getByLabel("From", { exact: true }), page.getByLabel("Until", { exact: true })];
  expect([(await from.inputValue()).slice(10), (await until.inputValue()).slice(10)]).toEqual(["T00:00", "T00:00"]);
  expect(faults).toEqual([]);
});

test("columns and named views are kept in the browser, and a view's address has its filters and order", async () => {
  const { service } = await sharedListProject();
  const place = "#/traces?release=r1&sort_by=cost&range=30d";
  const { page, faults } = await openConsole(browser(), service, place);
  await page.getByText("20 traces", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("group", { name: "Columns" }).getByLabel("Release").check();
  await page.getByRole("group", { name: "Columns" }).getByLabel("Tokens").uncheck();
  await page.locator("#row-0", { hasText: "r1" }).waitFor();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Name of the view").fill("costs of r1");
  await page.getByRole("button", { name: "Save this view" }).click();
  await page.getByRole("link", { name: "costs of r1" }).waitFor();
  await page.getByText(/Kept in this browser for this project, not on the server/u).waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);

  await page.evaluate(`location.hash = "#/traces"`);
  await page.reload();
  await page.getByText("60 traces", { exact: true }).waitFor();
  const heads = await page.locator(".row-head [role=columnheader]").allInnerTexts();
  expect([heads.includes("Release"), heads.includes("Tokens")]).toEqual([true, false]);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "costs of r1" }).click();
  await page.getByText("20 traces", { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe(place);
  // Another kind of sign-in to the same project.
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").fill(service.tenant.apiKey);
  await page.getByRole("button", { name: "Sign in with the key" }).click();
  await page.getByText("20 traces", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "costs of r1" }).waitFor();
  await page.getByRole("button", { name: "Forget the view costs of r1" }).click();
  expect(await page.getByRole("link", { name: "costs of r1" }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test("a column of outputs is chosen, and only the rows in view are read for it", async () => {
  const { client, service } = await createListProject(60);
  const started_at = new Date().toISOString();
  const output = { role: "assistant", content: `It is\n${"word ".repeat(100)}` };
  await client.createTraces({
    body: {
      traces: [
        { name: "of JSON", started_at, output },
        { name: "of text", started_at, output: "It is\nsunny." },
        { name: "of nothing", started_at, output: null },
      ],
    },
  });
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  const reads: string[] = [];
  page.on("request", (request) => {
    if (/\/traces\/[0-9a-f-]{36}\?/u.test(request.url())) reads.push(request.url());
  });
  await page.getByText("63 traces", { exact: true }).waitFor();
  await page.locator("#row-0").waitFor();
  const headsOf = () => page.locator(".row-head [role=columnheader]").allInnerTexts();
  expect((await headsOf()).filter((head) => head.endsWith("put"))).toEqual([]);
  expect(reads).toEqual([]);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("group", { name: "Columns" }).getByLabel("Input").check();
  await page.getByRole("group", { name: "Columns" }).getByLabel("Output").check();

  const outputOf = (name: string) => page.locator(".trace-row", { hasText: name }).locator(".output");
  await outputOf("of text").getByText("It is sunny.", { exact: true }).waitFor();
  await outputOf("of JSON")
    .getByText(`${`It is ${"word ".repeat(100)}`.slice(0, 119)}…`, { exact: true })
    .waitFor();
  expect((await headsOf()).filter((head) => head.endsWith("put"))).toEqual(["Input", "Output"]);
  await page.waitForLoadState("networkidle");
  expect(await outputOf("of nothing").innerText()).toBe("");
  expect(new Set(reads).size).toBe(reads.length);
  expect(reads.length).toBeLessThan(40);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("a failed request for the oldest trace is shown and can be repeated", async () => {
  const { service } = await sharedListProject();
  const { page } = await openConsole(browser(), service, "#/sessions");
  await page.getByRole("img", { name: /^15 sessions, from / }).waitFor();
  await page.route(/\/traces\?.*sort_order=asc/u, (route) =>
    route.fulfill({ status: 500, json: { detail: "broken" } }),
  );
  await page.reload();
  await page.getByRole("alert").getByText("Internal error of the service.").waitFor();
  expect(await page.locator(".strip").count()).toBe(0);

  await page.unroute(/\/traces\?.*sort_order=asc/u);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("img", { name: /^15 sessions, from / }).waitFor();
});
