import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { exportTraces } from "../../../../lib/contract/otlp/export-traces.ts";
import { traceUuid } from "../../../../lib/otlp/wire/span-ids.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { jsonExport, jsonSpan } from "../../../support/otlp/otlp.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const browser = browserOfFile();

test("a dataset is made from a trace and a span, gets the rows of a CSV file, and is exported", async () => {
  const name = `refunds ${randomUUID()}`;
  const started_at = new Date().toISOString();
  const spans = [{ name: "look up", started_at, input: "order 7", output: "shipped" }];
  const trace = { name: "agent", started_at, input: "Where is order 7?", output: "On its way.", spans };
  const { trace_id } = await client.createTrace({ body: trace });
  const { page, faults } = await openConsole(browser(), service, `#/traces/${trace_id}?view=timeline`);

  await page.locator(".head").getByRole("button", { name: "Add to dataset" }).click();
  await page.getByLabel("Dataset").fill(name);
  await page.keyboard.press("Enter");
  await page.getByText(`Added to ${name}.`).waitFor();
  await page.locator(".head").getByRole("button", { name: "Close" }).click();
  await page.locator(".span-row", { hasText: "look up" }).click();
  await page.getByRole("article", { name: "Span look up" }).getByRole("button", { name: "Add to dataset" }).click();
  await page.getByLabel("Dataset").fill(name);
  await page.getByLabel("output is the expected answer").uncheck();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("link", { name: "View dataset" }).click();
  await page.locator(".list-row", { hasText: "Where is order 7?" }).getByText("On its way.").waitFor();
  await page.locator(".list-row", { hasText: "order 7" }).getByText("no expected output").waitFor();

  const csv =
    'id,input,expected_output\nfirst,"Where, exactly?",Berlin\nsecond,"Since ""when""?",Monday\nthird,12345678901234567890,\n';
  const file = { name: "questions.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
  await page.getByLabel("Import").setInputFiles(file);
  await page.getByText("3 items of questions.csv imported.").waitFor();
  await page.locator(".list-row", { hasText: 'Since "when"?' }).click();
  const json = page.getByRole("textbox", { name: "JSON" });
  await json.fill("not JSON");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await json.fill('{"expected_output": {"day": "Tuesday"}}');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText('{"day":"Tuesday"}').waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export" }).click(),
  ]);
  const text = readFileSync(await download.path(), "utf8");
  const lines = text.trim().split("\n");
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { input: "Where is order 7?", expected_output: "On its way." },
    { input: "order 7", expected_output: null },
    { id: "first", input: "Where, exactly?", expected_output: "Berlin" },
    { id: "second", input: 'Since "when"?', expected_output: { day: "Tuesday" } },
    { id: "third" },
  ]);
  expect(text).toContain('"input":12345678901234567890,');
  expect(faults).toEqual([]);
});

/** Stores a scored trace of an experiment for each value, 60 items from `item 0`; null stores none. @returns ids of traces by item. */
const storeExperiment = async (
  name: string,
  values: readonly (number | null)[],
): Promise<readonly (string | null)[]> => {
  const project = newProject(service);
  const started = Date.now() - 60_000;
  const ids = values.map((value) => (value === null ? null : randomUUID().replaceAll("-", "")));
  const spans = ids.flatMap((id, at) => {
    const times = { startTimeUnixNano: `${started + at}000000`, endTimeUnixNano: `${started + at + 5}000000` };
    const attributes = {
      "assay.experiment": name,
      "assay.experiment.item": `item ${at}`,
      "input.value": `Question ${at}`,
    };
    return id === null ? [] : [jsonSpan(id, id.slice(0, 16), times, attributes)];
  });
  const headers = { "X-API-Key": apiKey, "X-Project-Name": projectName };
  await project.answer(exportTraces, { body: jsonExport(spans), headers });
  const traces = ids.map((id) => (id === null ? null : traceUuid(id)));
  for (const [at, trace_id] of traces.entries()) {
    const value = String(values[at]);
    const score = { name: "helpful", data_type: "NUMERIC", value } as const;
    if (trace_id !== null) await client.createTraceScore({ body: { trace_id, ...score } });
  }
  return traces;
};

test("an experiment is compared with its baseline, and the worst item leads to both traces", async () => {
  const mark = randomUUID().slice(0, 8);
  const items = Array.from({ length: 60 }, (_, at) => at);
  const before = await storeExperiment(
    `before ${mark}`,
    items.map((at) => 0.8 + (at % 5) / 50),
  );
  const after = await storeExperiment(
    `after ${mark}`,
    items.map((at) => (at === 59 ? null : at === 41 ? 0.1 : at % 3 === 0 ? 0.3 + (at % 5) / 50 : 0.8)),
  );
  await eventually(async () => {
    const { items: experiments } = await client.listExperiments({ query: { limit: 200 } });
    const ofTest = experiments.filter(({ name }) => name.endsWith(mark));
    const paths = ofTest.map(({ id: experiment_id }) => ({ path: { experiment_id } }));
    const counts = (await Promise.all(paths.map((path) => client.getExperiment(path)))).map((each) => each.trace_count);
    return counts.toSorted((a, b) => a - b).join() === "59,60" ? true : undefined;
  });
  const { page, faults } = await openConsole(browser(), service, "#/datasets");

  await page.getByRole("link", { name: `after ${mark}` }).click();
  const table = page.getByRole("region", { name: "Items" });
  await table.getByRole("row", { name: "item 41 Question 41 0.10" }).waitFor();
  expect(await table.getByRole("row").nth(1).innerText()).toContain("item 41");
  await page
    .getByLabel("Compare with")
    .selectOption({ label: await page.getByRole("option", { name: `before ${mark}` }).innerText() });
  await page.getByRole("status").getByText("The candidate is worse in helpful.").waitFor();

  const [, metricRow = ""] = await page.getByRole("region", { name: "Verdicts" }).getByRole("row").allInnerTexts();
  expect(metricRow).toMatch(
    /^helpful\s+worse\s+-0\.2\d\d\s+-0\.\d{3}\sto\s-0\.\d{3}\s+(?:not\scalibrated\s+){2}51\s+0\s+59\s+1\s+0\s/u,
  );
  const worst = table.getByRole("row").nth(1);
  expect(await worst.innerText()).toMatch(/^item 41 Question 41\s+0\.82\s→\s0\.10\s-0\.72/u);
  expect(await table.getByRole("row").last().innerText()).toMatch(/^item 59 Question 59\s+0\.88\s→\sno\strace/u);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  const links = worst.getByRole("link", { name: "trace" });
  const hrefs = await links.evaluateAll((all) => all.map((each) => each.getAttribute("href")));
  expect(hrefs).toEqual([`#/traces/${before[41]}`, `#/traces/${after[41]}`]);
  await links.last().click();
  await page.getByText("Question 41").first().waitFor();
  expect(faults).toEqual([]);
});
