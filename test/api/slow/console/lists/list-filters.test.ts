import { expect, test } from "vitest";
import { flawsInEveryLayout } from "../../../../support/browser/accessibility.ts";
import { openConsole } from "../../../../support/browser/browser.ts";
import { browserOfFile } from "../../../../support/browser/file-browser.ts";
import { cellsOf, createListProject, hour, sharedListProject } from "../../../../support/browser/list-project.ts";

const browser = browserOfFile();

test("traces with equal errors are counted, a click filters by the error, and values of filters are suggested with counts", async () => {
  const { client, service } = await sharedListProject();
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
  const errors = (await cellsOf(page, "trace")).map((row) => row[4]);
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

test("a search that found nothing is cleared within the list, by its button and by Backspace, on a slow line too", async () => {
  const { service } = await sharedListProject();
  for (const clear of ["button", "Backspace"]) {
    const { page, faults } = await openConsole(browser(), service, "#/traces?q=z");
    await page.getByText("No traces match these filters.").waitFor();
    await page.route(/\/traces\?/u, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });

    if (clear === "button") await page.getByRole("button", { name: "Show all traces" }).click();
    else {
      await page.getByRole("searchbox", { name: "Search for words" }).focus();
      await page.keyboard.press("End");
      await page.keyboard.press("Backspace");
    }
    await page.getByText("60 traces", { exact: true }).waitFor();

    expect([clear, new URL(page.url()).hash, faults]).toEqual([clear, "#/traces", []]);
  }
});

test("suggested values are counted with the other filters of the list and of the page, at any age", async () => {
  const { client, service } = await createListProject(40);
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
  const { service } = await sharedListProject();
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
  const { client, service } = await createListProject(15);
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
  const { service } = await sharedListProject();
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
