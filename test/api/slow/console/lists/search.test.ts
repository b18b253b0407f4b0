import { randomUUID } from "node:crypto";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { createListProject } from "../../../../support/browser/list-project.ts";
import { openConsole } from "../../../../support/browser/browser.ts";
import { browserOfFile } from "../../../../support/browser/file-browser.ts";

const browser = browserOfFile();

/** Expression of the marked texts of a page. */
const markedTexts = "[...(CSS.highlights.get('found') ?? [])].map(String)";

test("words are searched at Enter, found texts shown, older traces searched on, and an id is opened", async () => {
  const { client, service } = await createListProject(1);
  const ids = Array.from({ length: 230 }, () => randomUUID());
  const traces = ids.map((trace_id, index) => ({
    trace_id,
    name: `trace ${index}`,
    started_at: new Date(Date.now() - (index + 1) * 60_000).toISOString(),
    input: index < 220 ? "Where is my Straße parcel?" : "nothing",
  }));
  for (const start of [0, 100, 200]) await client.createTraces({ body: { traces: traces.slice(start, start + 100) } });
  await client.createTrace({
    body: {
      name: "long",
      started_at: new Date().toISOString(),
      input: `${"before ".repeat(9)}the Complaint of a customer`,
    },
  });
  const { page, faults } = await openConsole(browser(), service, "#/traces?q=complaint");
  const search = page.getByRole("searchbox", { name: "Search for words" });
  // A narrow column shows the beginning of the text.
  await page.getByText(/^\w+ the Complaint of a customer/u).waitFor();
  const [summary, status] = [page.locator(".said"), page.locator(".said [role=status]")];
  const older = summary.getByRole("button", { name: "Search older" });
  const hasFocus = (element: Locator) => element.evaluate((each) => each === each.ownerDocument.activeElement);

  await search.fill('"strasse parcel"');
  await page.keyboard.press("Enter");
  await status.getByText(/ 10[012] traces searched, back to/u).waitFor();
  expect(await hasFocus(summary)).toBe(true);
  expect(await page.locator(".list-row .words-of").first().textContent()).toBe("Where is my Straße parcel?");
  await older.press("Enter");
  await status.getByText(/ 20[012] traces searched, back to/u).waitFor();
  expect(await hasFocus(older)).toBe(true);
  await older.press("Enter");
  await status.getByText("All 232 traces searched").waitFor();
  expect(await hasFocus(summary)).toBe(true);
  expect(await status.locator("b").textContent()).toBe("220 traces");

  await search.fill(ids[3] ?? "");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "trace 3" }).waitFor();
  expect(new URL(page.url()).hash).toContain(`#/traces/${ids[3]}`);
  await page.goBack();
  await search.fill("complaint");
  await page.keyboard.press("Enter");
  await page.getByText(/^\w+ the Complaint of a customer/u).click();
  await page.getByRole("heading", { name: "long" }).waitFor();
  await expect.poll(() => page.evaluate(markedTexts)).toContain("Complaint");
  expect(new Set(await page.evaluate<readonly string[]>(markedTexts))).toEqual(new Set(["Complaint"]));
  await page.getByRole("searchbox", { name: "Search the trace" }).fill("omer");
  await expect.poll(() => page.evaluate(markedTexts)).toContain("omer");
  expect(faults).toEqual([]);
});

test("a change of found traces leaves each of them once in the list", async () => {
  const { client, service } = await createListProject(1);
  const started_at = new Date().toISOString();
  const traces = ["one", "two"].map((name) => ({ trace_id: randomUUID(), name, started_at, input: "a lost kettle" }));
  await client.createTraces({ body: { traces } });
  const { page, faults } = await openConsole(browser(), service, "#/traces?q=kettle");
  const summary = page.locator(".said [role=status]");
  await summary.getByText("All 3 traces searched").waitFor();
  await page.locator(".list-row", { hasText: "one" }).getByRole("checkbox").check();
  await page.getByLabel("Tag", { exact: true }).fill("seen");
  await page.keyboard.press("Enter");
  await page.locator(".list-row .tag", { hasText: "seen" }).waitFor();

  expect(await summary.locator("b").textContent()).toBe("2 traces");
  expect(await page.locator(".list-row").count()).toBe(2);
  await summary.getByText("All 3 traces searched").waitFor();
  expect(faults).toEqual([]);
});

test("Escape empties the field and ends the search", async () => {
  const { service } = await createListProject(3);
  const { page, faults } = await openConsole(browser(), service, "#/traces?q=nowhere");
  const search = page.getByRole("searchbox", { name: "Search for words" });
  await page.locator(".said").getByText("0 traces", { exact: true }).waitFor();

  await search.press("Escape");
  await page.locator(".said").getByText("3 traces", { exact: true }).waitFor();
  expect(await search.inputValue()).toBe("");
  expect(new URL(page.url()).hash).toBe("#/traces");
  expect(faults).toEqual([]);
});

test("blanks end the search, and the error of a query is a sentence", async () => {
  const { service } = await createListProject(3);
  const { page, faults } = await openConsole(browser(), service, "#/traces?q=nowhere");
  const search = page.getByRole("searchbox", { name: "Search for words" });

  await search.fill("  ");
  await search.press("Enter");
  await page.locator(".said").getByText("3 traces", { exact: true }).waitFor();
  expect(await search.inputValue()).toBe("");
  expect(faults).toEqual([]);
  await search.fill('"open');
  await search.press("Enter");
  await page.getByText("A quotation mark has no counterpart", { exact: true }).waitFor();
});
