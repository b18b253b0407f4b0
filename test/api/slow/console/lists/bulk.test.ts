import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openConsole } from "../../../../support/browser/browser.ts";
import { countClicks } from "../../../../support/browser/clicks.ts";
import { flawsInEveryLayout } from "../../../../support/browser/accessibility.ts";
import { browserOfFile } from "../../../../support/browser/file-browser.ts";
import { createListProject } from "../../../../support/browser/list-project.ts";
import { eventually } from "../../../../support/service/local-fixture.ts";

const browser = browserOfFile();

const createMany = async (count: number) => {
  const { client, service } = await createListProject(3);
  const traces = Array.from({ length: count }, (_, index) => ({
    trace_id: randomUUID(),
    name: "many",
    started_at: new Date(Date.now() - index * 1_000).toISOString(),
    user_id: index === 0 ? '=HYPERLINK("http://x")' : "ann",
    input: `Question ${index}, "quoted"`,
  }));
  for (let start = 0; start < count; start += 100)
    await client.createTraces({ body: { traces: traces.slice(start, start + 100) } });
  await eventually(async () => {
    const { total } = await client.listTraces({ query: { name: "many", limit: 1 } });
    return total === count ? true : undefined;
  });
  return { client, service, ids: traces.map(({ trace_id: id }) => id) };
};

/** Saves a file by a button and returns its name and its text. */
const saved = async (page: Page, save: () => Promise<void>) => {
  const [download] = await Promise.all([page.waitForEvent("download"), save()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
};

test("all traces that match are tagged and deleted in parts of 500, and one that fails goes on where it stopped", async () => {
  const { client, service } = await createMany(520);
  const { page, faults } = await openConsole(browser(), service, "#/traces?name=many");
  await page.locator(".said").getByText("520 traces", { exact: true }).waitFor();
  const sizes: number[] = [];
  let failures = 1;
  await page.route(/\/traces\/batch\/(?:tags|delete)$/u, async (route) => {
    const { trace_ids: ids = [] } = route.request().postDataJSON() as { readonly trace_ids?: readonly string[] };
    sizes.push(ids.length);
    // The second part of the deletion fails once.
    if (route.request().url().endsWith("delete") && sizes.length === 4 && failures-- > 0)
      return await route.fulfill({ status: 400, json: { detail: "Broken on purpose." } });
    await route.continue();
  });

  const clicks = await countClicks(page);
  const [first, bar] = [page.locator("#row-0"), page.getByRole("region", { name: "Selected traces" })];
  await page.setViewportSize({ width: 1280, height: 800 });
  const before = await first.boundingBox();
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByText("520 traces selected").waitFor();
  // The rows stay where they are, and the actions are in view beside them.
  expect(await first.boundingBox()).toEqual(before);
  const { y = 0, height = 0 } = (await bar.boundingBox()) ?? {};
  expect([y > 0, y + height <= (page.viewportSize()?.height ?? 0)]).toEqual([true, true]);
  await page.getByLabel("Tag", { exact: true }).fill("seen");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("520 traces tagged in 2 requests.").waitFor();
  expect(await clicks()).toBe(1);
  expect((await client.listTraces({ query: { tags: ["seen"], limit: 1 } })).total).toBe(520);
  expect(await flawsInEveryLayout(page)).toEqual([]);

  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByText("520 traces selected").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const question = page.getByRole("group", { name: /^Delete 520 traces with all scores\?/u });
  await question.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Broken on purpose.").waitFor();
  expect((await client.listTraces({ query: { name: "many", limit: 1 } })).total).toBe(20);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("status").getByText("520 traces deleted in 2 requests.").waitFor();
  expect(sizes).toEqual([500, 20, 500, 20, 20]);
  await eventually(async () => {
    const { total } = await client.listTraces({ query: { limit: 1 } });
    return total === 3 ? true : undefined;
  });
  expect(faults.filter((text) => !text.includes("status of 400"))).toEqual([]);
});

test("a list is saved whole as CSV and NDJSON, with two clicks, and what is stopped or fails says after how many rows", async () => {
  const { client, service, ids } = await createMany(450);
  const { page, faults } = await openConsole(browser(), service, "#/traces?name=many");
  const file = page.getByRole("group", { name: "Export traces" });
  await page.locator(".said").getByText("450 traces", { exact: true }).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole("button", { name: "Download" }).click();
  const ndjson = await saved(page, () => file.getByRole("button", { name: "NDJSON" }).click());
  await file.getByText("450 rows saved.").waitFor();
  expect(await clicks()).toBe(2);
  const csv = await saved(page, () => file.getByRole("button", { name: "CSV", exact: true }).click());

  const items = ndjson.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly trace_id: string });
  const { items: page1 } = await client.listTraces({
    query: { name: "many", limit: 200, include: ["scores", "preview"] },
  });
  expect(items.map(({ trace_id: id }) => id)).toEqual(ids);
  expect(items.slice(0, 200)).toEqual(page1);
  expect([ndjson.name, csv.name]).toEqual(["traces.ndjson", "traces.csv"]);
  const [head = "", first = ""] = csv.text.split("\r\n");
  expect(head.split(",")).toEqual(expect.arrayContaining(["\uFEFFtrace_id", "user_id"]));
  expect(first).toContain(`"'=HYPERLINK(""http://x"")"`);
  expect(csv.text.trimEnd().split("\r\n")).toHaveLength(451);

  // The second page never comes.
  await page.route(/\/traces\?.*cursor=/u, (route) =>
    route.fulfill({ status: 400, json: { detail: "Broken on purpose." } }),
  );
  const part = await saved(page, () => file.getByRole("button", { name: "NDJSON" }).click());
  await file.getByText("Stopped early, after 200 of 450 rows: Broken on purpose.").waitFor();
  expect(part.text.trimEnd().split("\n")).toHaveLength(200);
  expect(faults.filter((text) => !text.includes("status of 400"))).toEqual([]);
});

test("the scores of a run and the figures of a chart are saved with the API's numbers", async () => {
  const { client, service } = await createListProject(6);
  const { id } = await client.createTraceRun({ body: { metrics: ["task_completion"] } });
  await eventually(async () =>
    (await client.getTraceRun({ path: { run_id: id } })).status === "COMPLETED" ? true : undefined,
  );
  const { page, faults } = await openConsole(browser(), service, `#/runs/${id}`);
  const scores = page.getByRole("group", { name: "Export scores" });
  const { text } = await saved(page, () => scores.getByRole("button", { name: "NDJSON" }).click());
  const { items } = await client.listTraceScores({
    query: { eval_run_id: id, sort_by: "value", sort_order: "asc", limit: 200 },
  });
  expect(
    text
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  ).toEqual(items);

  await page.evaluate(`location.hash = "#/traces"`);
  await page.getByText("Figures as a table").click();
  const figures = page.getByRole("group", { name: /^Export traces by hour, figures$/u });
  await page.getByRole("region", { name: "traces by hour, figures" }).getByRole("row").nth(1).waitFor();
  const { name, text: csv } = await saved(page, () =>
    figures.getByRole("button", { name: "CSV", exact: true }).click(),
  );
  expect(name).toBe("traces-by-hour-figures.csv");
  const buckets = await client.getTraceAnalytics({
    query: { metric: "latency", granularity: "hour", started_after: new Date(Date.now() - 86_400_000).toISOString() },
  });
  const expected = buckets.flatMap((each) =>
    "error_count" in each && "bucket" in each ? [[Date.parse(each.bucket), each.trace_count]] : [],
  );
  const rows = csv
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(","));
  expect(rows.map(([at = "", count]) => [Date.parse(at), Number(count)])).toEqual(expected);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(faults).toEqual([]);
});
