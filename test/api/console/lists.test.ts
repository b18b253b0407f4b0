import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import type { TraceInput } from "../../../lib/client/interface.ts";
import { count, dollars, duration } from "../../../lib/console/format.ts";
import { collect } from "../../../lib/console/use-paged-list.ts";
import { flawsInEveryLayout } from "../../support/browser/accessibility.ts";
import { openConsole } from "../../support/browser/browser.ts";
import { browserOfFile } from "../../support/browser/file-browser.ts";

const service = inject("service");
const { bearerToken } = service.tenant;
const owner = createClient({ baseUrl: service.baseUrl, credentials: { token: bearerToken } });

const browser = browserOfFile();

const hour = 3_600_000;

/**
 * A project of its own with traces of 5 users in 15 sessions, 60 of them over three days; every ninth trace failed, every seventh has
 * a failed tool, and the oldest took longest.
 */
const createProject = async (traceCount = 60) => {
  const [organization] = await collect(owner.each.listOrganizations(), 1);
  const project = await owner.createProject({
    path: { org_id: organization?.id ?? "" },
    body: { name: `lists-${randomUUID().slice(0, 8)}` },
  });
  const client = createClient({
    baseUrl: service.baseUrl,
    credentials: { token: bearerToken, projectId: project.id },
  });
  const traces = Array.from({ length: traceCount }, (_, index): TraceInput => {
    const started = Date.now() - index * 1.2 * hour - 60_000;
    const at = (milliseconds: number): string => new Date(started + milliseconds).toISOString();
    const latency = index === traceCount - 1 ? 447_000 : 500 + ((index * 7_919) % 20_000);
    return {
      name: `agent ${index % 4}`,
      status: index % 9 === 0 ? "ERROR" : "COMPLETED",
      started_at: at(0),
      ended_at: at(latency),
      user_id: `user ${index % 5}`,
      session_id: `chat/${index % 15}`,
      input: `Question ${index}`,
      release: `r${index % 3}`,
      spans: [
        {
          name: "answer",
          kind: "LLM",
          started_at: at(0),
          model: `model-${index % 2}`,
          token_usage: { prompt_tokens: 100 + index, completion_tokens: 10 },
          cost: { total: ((index * 31) % 60) / 100 },
        },
        {
          name: "look up",
          kind: "TOOL",
          started_at: at(1),
          status: index % 7 === 0 ? "ERROR" : "OK",
          error: index % 7 === 0 ? `timeout of ${index % 2 === 0 ? "billing" : "search"}` : null,
        },
      ],
    };
  });
  await client.createTraces({ body: { traces } });
  const tenant = { ...service.tenant, projectId: project.id };
  return { client, service: { baseUrl: service.baseUrl, tenant } };
};

let shared: ReturnType<typeof createProject> | undefined;
/** The project of the tests that only read. */
const sharedProject = () => (shared ??= createProject());

const cells = (page: Page, row: string): Promise<readonly (readonly string[])[]> =>
  page.evaluate(
    `[...document.querySelectorAll(".${row}-row")].map((row) => [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent))`,
  );

const rowOf = (page: Page, row: string) => page.locator(`.${row}-row`).first();

test("the most expensive session is the first by cost, and every row has the figures of the API, as have users", async () => {
  const { client, service } = await sharedProject();
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
  const shown = (await cells(page, "session")).map((row) => [row[2], row[4], row[5], row[6], row[7], row[8]]);
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
  expect((await cells(page, "user")).map((row) => row.slice(0, 6))).toEqual(
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
  const { client, service } = await sharedProject();
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
  const { client, service } = await createProject(15);
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
  const { client, service } = await createProject(30);
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
  const { client, service } = await sharedProject();
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
  expect(await page.locator(".axis span").first().textContent()).toContain(", 00:00");
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
  const { service } = await sharedProject();
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

test("traces with equal errors are counted, a click filters by the error, and values of filters are suggested with counts", async () => {
  const { client, service } = await sharedProject();
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page.getByText("60 traces", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Errors", exact: true }).click();
  const group = page.getByRole("button", { name: "5 traces timeout of billing" });
  await group.waitFor();
  expect(await page.getByRole("group", { name: "Errors" }).getByRole("button").allInnerTexts()).toEqual([
    "5 traces timeout of billing",
    "4 traces timeout of search",
  ]);
  await group.click();
  await page.locator(".said").getByText("5 traces", { exact: true }).waitFor();
  const errors = (await cells(page, "trace")).map((row) => row[4]);
  expect(errors).toEqual(Array.from({ length: 5 }, () => "timeout of billing"));
  const { total } = await client.listTraces({ query: { first_error: "timeout of billing" } });
  expect(total).toBe(5);
  await page.getByRole("button", { name: "Remove filter error timeout of billing" }).click();

  await page.getByRole("button", { name: "+ Filter" }).click();
  await page.getByLabel("Filter", { exact: true }).selectOption("model");
  await page.locator("datalist option[value=model-1]").waitFor({ state: "attached" });
  const suggestions = await page.evaluate(
    `[...document.querySelectorAll("datalist option")].map(({ value, label }) => [value, label])`,
  );
  expect(suggestions).toEqual([
    ["model-0", "30 traces"],
    ["model-1", "30 traces"],
  ]);
  expect(faults).toEqual([]);
});

test("suggested values are counted with the other filters of the list and of the page, at any age", async () => {
  const { client, service } = await createProject(40);
  await client.createTrace({
    body: {
      name: "old",
      started_at: new Date(Date.now() - 400 * hour).toISOString(),
      user_id: "user 1",
      release: "r1",
    },
  });
  const { page, faults } = await openConsole(browser(), service, "#/users/user%201?release=r9");
  const suggestions = () =>
    page.evaluate(`[...document.querySelectorAll("datalist option")].map(({ value, label }) => [value, label])`);
  await page.getByRole("button", { name: "+ Filter" }).click();
  await page.getByLabel("Filter", { exact: true }).selectOption("release");
  await page.locator("datalist option[value=r1]").waitFor({ state: "attached" });
  expect(await suggestions()).toEqual([
    ["r1", "4 traces"],
    ["r0", "3 traces"],
    ["r2", "2 traces"],
  ]);
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await page.locator("datalist option[label='1 trace']").first().waitFor({ state: "attached" });
  const { items: failed } = await client.listTraces({ query: { user_id: "user 1", status: "ERROR" } });
  expect(await suggestions()).toEqual(
    failed.map(({ release }) => [release, "1 trace"]).toSorted(([a], [b]) => String(a).localeCompare(String(b))),
  );
  expect(faults).toEqual([]);
});

test("the chart above sessions names the filters that it cannot apply, and counts as the list with all others", async () => {
  const { service } = await sharedProject();
  const { page, faults } = await openConsole(browser(), service, "#/sessions?query=chat%2F14&min_cost=0.01");
  await page.locator(".said").getByText("1 session", { exact: true }).waitFor();
  await page
    .getByText("The chart does not know these filters: cost at least $, search by session id.", { exact: true })
    .waitFor();
  expect(await page.locator(".strip").count()).toBe(0);
  expect(await flawsInEveryLayout(page)).toEqual([]);

  await page.evaluate(`location.hash = "#/sessions?user_id=user%203"`);
  await page.locator(".said").getByText("3 sessions", { exact: true }).waitFor();
  await page.getByRole("img", { name: /^3 sessions, from / }).waitFor();
  expect(faults).toEqual([]);
});

test("a tag with the separator of values in addresses is one filter, and all sessions of a user are shown where none match", async () => {
  const { client, service } = await createProject(15);
  const tag = String.raw`a|b\c`;
  const started_at = new Date().toISOString();
  await client.createTrace({ body: { name: "tagged", started_at, tags: [tag, "d"] } });
  await client.createTrace({ body: { name: "other", started_at, tags: ["a", "d"] } });
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  for (const [value, count] of [
    [tag, "1 trace"],
    ["d", "2 traces"],
  ] as const) {
    await page.getByRole("button", { name: "+ Filter" }).click();
    await page.getByLabel("Filter", { exact: true }).selectOption("tags");
    await page.getByLabel("Value", { exact: true }).fill(value);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".said").getByText(count, { exact: true }).waitFor();
    await page.locator(".trace-row", { hasText: "tagged" }).waitFor();
  }
  await page.locator(".chip").getByText(`${tag}, d`, { exact: true }).waitFor();

  await page.evaluate(`location.hash = "#/users/user%201?view=sessions&min_tokens=99999999"`);
  await page.getByRole("button", { name: "Show all sessions" }).click();
  await page.locator(".said").getByText("3 sessions", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test("a window that ends before its start is refused at its fields, and durations have one line on a phone", async () => {
  const { service } = await sharedProject();
  const { page, faults } = await openConsole(browser(), service, "#/traces?range=yesterday");
  const before = await page.locator(".said b").textContent();
  // The year after is entered in the task that adds the field, before any effect of the page could run.
  await page.evaluate(`new MutationObserver((_, observer) => {
    const field = document.querySelector("[aria-label=From]");
    if (field === null) return;
    observer.disconnect();
    field.value = Number(field.value.slice(0, 4)) + 1 + field.value.slice(4);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }).observe(document.body, { childList: true, subtree: true })`);
  await page.getByLabel("Time", { exact: true }).selectOption("custom");
  const from = page.getByLabel("From", { exact: true });
  await page.getByRole("alert").getByText("The end of the window must be after its start.").waitFor();
  expect(await page.locator(".said b").textContent()).toBe(before);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  const wrong = await from.inputValue();
  await from.fill(`${Number(wrong.slice(0, 4)) - 1}${wrong.slice(4)}`);
  await from.blur();
  await page.getByRole("alert").waitFor({ state: "detached" });

  await page.setViewportSize({ width: 390, height: 800 });
  await page.evaluate(`location.hash = "#/traces?sort_by=latency"`);
  const cell = page.locator("#row-0 .number", { hasText: "7 min 27 s" });
  await cell.waitFor();
  expect((await cell.boundingBox())?.height).toBeLessThan(24);
  expect(await cell.evaluate((node) => Reflect.get(node, "scrollWidth") <= Reflect.get(node, "clientWidth"))).toBe(
    true,
  );
  expect(faults).toEqual([]);
});

test("a failed request for the oldest trace is shown and can be repeated", async () => {
  const { service } = await sharedProject();
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
