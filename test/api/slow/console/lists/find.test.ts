import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { collect } from "../../../../../lib/console/use-paged-list.ts";
import { flawsInEveryLayout } from "../../../../support/browser/accessibility.ts";
import { openConsole } from "../../../../support/browser/browser.ts";
import { countClicks } from "../../../../support/browser/clicks.ts";
import { eventually } from "../../../../support/service/local-fixture.ts";
import { browserOfFile } from "../../../../support/browser/file-browser.ts";
import { createListProject } from "../../../../support/browser/list-project.ts";

const browser = browserOfFile();

/** Replies to lookups of ids that are of another kind are no faults. */
const withoutUnknownIds = (faults: readonly string[]) => faults.filter((text) => !text.includes("status of 404"));

test("Ctrl-K opens pages, actions, and the items of ids that the service or the caller gave, by keyboard alone", async () => {
  const { client, service } = await createListProject(12);
  const run = await client.createTraceRun({ body: { metrics: ["task_completion"], sampling_rate: 0.2 } });
  const [trace] = (await client.listTraces({ query: { limit: 1 } })).items;
  const score = await client.createTraceScore({
    body: { trace_id: trace?.trace_id ?? "", name: "helpful", data_type: "NUMERIC", value: "1" },
  });
  const { page, faults } = await openConsole(browser(), service, "#/dashboard");
  await page.getByRole("link", { name: "Traces", exact: true }).waitFor();
  const field = page.getByRole("combobox", { name: "Page, action or id" });
  /** Presses the key until the field is here: the code that hears it may still be loading. */
  const press = () =>
    eventually(async () => {
      if ((await field.count()) > 0) return true;
      await page.keyboard.press("Control+k");
      return undefined;
    });
  const open = async (text: string, option: RegExp) => {
    await press();
    await field.fill(text);
    await page.getByRole("option", { name: option, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await field.waitFor({ state: "detached" });
  };

  await press();
  await field.fill("e");
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await open("monit", /^Go to Monitors$/u);
  await page.getByRole("button", { name: "New monitor …" }).waitFor();
  await open("new mon", /^new monitor$/u);
  await page.getByRole("heading", { name: "Evaluate on a schedule" }).waitFor();
  await page.keyboard.press("Escape");
  const examples: readonly (readonly [string, RegExp, string])[] = [
    ["chat/3", /^Open session chat\/3$/u, "#/sessions/chat%2F3"],
    [run.id, /^Open run /u, `#/runs/${run.id}`],
    [score.id, /^Open what the score /u, `#/traces/${trace?.trace_id}`],
    [trace?.trace_id ?? "", /^Open trace /u, `#/traces/${trace?.trace_id}`],
    ["lost parcel", /^Search traces for lost parcel$/u, "#/traces?q=lost+parcel"],
  ];
  for (const [id, option, hash] of examples) {
    await open(id, option);
    await expect.poll(() => page.evaluate("location.hash")).toBe(hash);
  }
  await press();
  await field.fill(run.id);
  await page.getByText("Looking up the id …").waitFor({ state: "detached" });
  await page.getByRole("option", { name: /^Open run / }).waitFor();
  expect(await page.getByRole("option", { name: /^Open session run / }).count()).toBe(0);
  // Pressed again before the dialog says that it has closed.
  await page.evaluate(
    "document.querySelector('dialog[open]').close(); dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))",
  );
  // Nothing is promised for an id that nobody has.
  await field.fill(randomUUID());
  await page.getByText("Looking up the id …").waitFor();
  await page.getByText("Looking up the id …").waitFor({ state: "detached" });
  expect(await page.getByRole("listbox", { name: "Matches" }).getByRole("option").allInnerTexts()).toEqual([
    expect.stringMatching(/^Search traces for /u),
  ]);
  expect(withoutUnknownIds(faults)).toEqual([]);
});

test("what is typed before the palette is loaded is typed into it, and is no shortcut of the page", async () => {
  const { service } = await createListProject(3);
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page.locator(".said").getByText("3 traces", { exact: true }).waitFor();
  const { promise: isTyped, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/assets\/palette-\w{8}\.js$/u, async (route) => {
    await isTyped;
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("failed");
  release();
  const field = page.getByRole("combobox", { name: "Page, action or id" });
  await field.waitFor();
  await page.keyboard.type(" runs");

  expect(await field.inputValue()).toBe("failed runs");
  expect(new URL(page.url()).hash).toBe("#/traces");
  expect(faults).toEqual([]);
});

test("the panel stays open over pages, and its values count what the API counts and filter by one click each", async () => {
  const { client, service } = await createListProject(24);
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page.locator(".said").getByText("24 traces", { exact: true }).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  const panel = page.getByRole("group", { name: "Filters by value" });
  await panel.getByRole("button", { name: "model-0 12" }).click();
  await page.locator(".said").getByText("12 traces", { exact: true }).waitFor();
  await panel.getByRole("button", { name: "agent 2 6" }).click();
  await page.locator(".said").getByText("6 traces", { exact: true }).waitFor();
  expect(await clicks()).toBe(3);
  expect(await flawsInEveryLayout(page)).toEqual([]);

  const counted = await client.getTraceAnalytics({
    query: { metric: "values", by: "tool", model: "model-0", name: "agent 2", started_after: "1970-01-01" },
  });
  const shown = await panel.locator("details", { hasText: "tool" }).getByRole("button").allInnerTexts();
  expect(shown).toEqual(counted.flatMap((each) => ("value" in each ? [`${each.value} ${each.trace_count}`] : [])));
  await panel.getByRole("button", { name: "model-0 6" }).waitFor();
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await panel.getByText("release", { exact: true }).click();
  await panel.getByRole("button", { name: "r0 8" }).waitFor();
  await page.reload();
  await panel.waitFor();
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await panel.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: "Filters", exact: true, expanded: false }).waitFor();
  expect(faults).toEqual([]);
});

test("a declared key of metadata is a field of the panel and a chip, and filters list, chart, evaluation and monitor", async () => {
  const { client, service } = await createListProject(3);
  const [organization] = await collect(client.each.listOrganizations(), 1);
  const path = { org_id: organization?.id ?? "", project_id: service.tenant.projectId };
  await client.updateProject({ path, body: { metadata_keys: ["customer_tier"] } });
  const started_at = new Date().toISOString();
  const traces = ["gold", "gold", "iron"].map((customer_tier) => ({
    name: "t",
    started_at,
    metadata: { customer_tier },
  }));
  await client.createTraces({ body: { traces } });
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page.locator(".said").getByText("6 traces", { exact: true }).waitFor();
  await page.locator("canvas").waitFor();
  // By keyboard: what loads beside the button may move it from below a pointer.
  await page.getByRole("button", { name: "Filters", exact: true }).press("Enter");
  await page.getByLabel("customer_tier").fill("gold");
  await page.keyboard.press("Enter");
  await page.locator(".said").getByText("2 traces", { exact: true }).waitFor();
  await page.getByText("The chart does not know").waitFor({ state: "detached" });
  expect(new URL(page.url()).hash).toBe("#/traces?metadata.customer_tier=gold");
  await page.getByRole("button", { name: "Evaluate all …" }).click();
  await page.getByText(/^2 traces, 2 judge calls/u).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Remove filter customer_tier gold" }).click();
  await page.locator(".said").getByText("6 traces", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});
