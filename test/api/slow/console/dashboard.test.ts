import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createProject } from "../../../../lib/contract/access/projects.ts";
import { createClient, type Client } from "../../../../lib/client/client.ts";
import type { ModelUsage, TraceBucket, TraceInput, UsageBucket } from "../../../../lib/client/interface.ts";
import { count, dollars, duration } from "../../../../lib/console/format.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { people } from "../../../support/users.ts";

const service = inject("service");
const { organization } = people();
const browser = browserOfFile();

const traceCount = 24;

/** Stores scored traces of two agents, releases and models over five hours; every fifth has failed. */
const storeTraces = async (client: Client): Promise<void> => {
  const start = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000;
  const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
  const traces = Array.from({ length: traceCount }, (_, number) => {
    const began = number * 12;
    return {
      trace_id: randomUUID(),
      name: number % 2 === 0 ? "support" : "billing",
      release: number < 12 ? "2.2" : "2.3",
      status: number % 5 === 0 ? "ERROR" : "COMPLETED",
      started_at: at(began),
      ended_at: new Date(Date.parse(at(began)) + 1_000 + number * 137).toISOString(),
      spans: [
        {
          name: "call",
          kind: "LLM",
          started_at: at(began),
          model: number % 3 === 0 ? "large" : "small",
          token_usage: { prompt_tokens: 1_000 + number, completion_tokens: 100 },
          cost: { total: 0.001 * (number + 1) },
        },
      ],
    } satisfies TraceInput;
  });
  await client.createTraces({ body: { traces } });
  for (const [number, { trace_id }] of traces.entries()) {
    const value = String(number < 12 ? 0.8 + (number % 2) / 10 : 0.3 + (number % 3) / 10);
    await client.createTraceScore({ body: { trace_id, name: "helpfulness", data_type: "NUMERIC", value } });
  }
};

/** Requests of the API with which the page is compared. */
const analytics = async <Item>(client: Client, metric: "latency" | "cost" | "models", granularity: "all" | "hour") =>
  (await client.getTraceAnalytics({ query: { metric, granularity } })) as readonly Item[];

const openDashboard = async () => {
  const { id: org_id, owner } = await organization("Figures");
  const { id } = await owner.answer(createProject, { params: { org_id }, body: { name: "shop" } });
  const client = createClient({ baseUrl: service.baseUrl, credentials: { token: owner.token, projectId: id } });
  const tenant = { apiKey: "", projectName: "", bearerToken: owner.token, projectId: id };
  const open = (hash: string) => openConsole(browser(), { baseUrl: service.baseUrl, tenant }, hash);
  return { client, open };
};

/** Cells of the rows of a table, with the exact values that tooltips tell. */
const rowsOf = (page: Page, region: string): Promise<string[][]> =>
  page
    .getByRole("region", { name: region, exact: true })
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) =>
        Array.from(
          (row as unknown as { cells: Iterable<Element & { title: string; innerText: string }> }).cells,
          (cell) => cell.querySelector("span")?.title || cell.title || cell.innerText.trim(),
        ),
      ),
    );

/** Script that tells whether a chart has pixels of the color that its legend has. */
const hasColor = (tone: string): string => `(() => {
  const figure = document.querySelector(".dashboard-chart:has(.tone-${tone})");
  const canvas = figure.querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const [red, green, blue] = getComputedStyle(figure.querySelector(".tone-${tone}")).color.match(/\\d+/gu).map(Number);
  let pixels = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255) pixels += 1;
  return pixels > 20;
})()`;

test("every figure of the dashboard equals the service's, by fourteen requests, and charts follow the theme", async () => {
  const { client, open } = await openDashboard();
  await storeTraces(client);
  const [summary] = await eventually(async () => {
    const groups = await client.getTraceScoreSummary({ query: { group_by: ["release"] } });
    const [total] = await analytics<TraceBucket>(client, "latency", "all");
    const isSettled = total?.trace_count === traceCount && groups.every(({ success_count: scores }) => scores === 12);
    const all = await client.getTraceScoreSummary({ query: { started_after: "2020-01-01" } });
    return isSettled && groups.length === 2 && all[0]?.count === traceCount ? all : undefined;
  });
  const { page, faults } = await open("#/monitors");
  await page.waitForLoadState("networkidle");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.getByRole("link", { name: "Dashboard" }).click();
  await page.locator("canvas").nth(4).waitFor();
  await page.locator(".groups tbody tr").nth(1).waitFor();
  await page.getByRole("region", { name: "Failures, cost and latency by release" }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(requests.filter((url) => !url.includes("/assets/"))).toHaveLength(14);

  const [[traces], [usage], hours, usageHours, models] = await Promise.all([
    analytics<TraceBucket>(client, "latency", "all"),
    analytics<UsageBucket>(client, "cost", "all"),
    analytics<TraceBucket>(client, "latency", "hour"),
    analytics<UsageBucket>(client, "cost", "hour"),
    analytics<ModelUsage>(client, "models", "all"),
  ]);
  const totals = await page
    .locator(".totals dd")
    .evaluateAll((cells) => cells.map((cell) => (cell as unknown as { title: string }).title));
  expect(totals.map(Number)).toEqual([
    usage?.total_cost,
    usage?.total_tokens,
    traces?.trace_count,
    traces?.error_count,
    traces?.p50_latency_ms,
    traces?.p95_latency_ms,
  ]);
  expect(await page.locator(".totals dd").allInnerTexts()).toEqual([
    dollars(usage?.total_cost ?? 0),
    count(usage?.total_tokens ?? 0),
    "24",
    "5 (20.8 %)",
    duration(traces?.p50_latency_ms ?? null),
    duration(traces?.p95_latency_ms ?? null),
  ]);
  for (const summaryLine of await page.getByText("Figures as a table").all()) await summaryLine.click();
  const figuresOf = async (title: string) =>
    (await rowsOf(page, `${title}, figures`)).map((row) => row.slice(1).map(Number));
  expect(await figuresOf("Cost")).toEqual(usageHours.map(({ total_cost: cost }) => [cost]));
  expect(await figuresOf("Tokens")).toEqual(
    usageHours.map(({ total_tokens: all, completion_tokens: completion }) => [all, completion]),
  );
  expect(await figuresOf("Traces and failures")).toEqual(
    hours.map(({ trace_count: all, error_count: failed }) => [all, failed]),
  );
  expect(await figuresOf("Latency")).toEqual(hours.map(({ p50_latency_ms: p50, p95_latency_ms: p95 }) => [p50, p95]));
  expect((await rowsOf(page, "Models")).map(([name, ...figures]) => [name, figures.map(Number)])).toEqual(
    models
      .toSorted((a, b) => b.total_cost - a.total_cost)
      .map(({ model, call_count: calls, total_tokens: tokens, total_cost: cost }) => [model, [calls, tokens, cost]]),
  );

  const { value, interval } = summary?.mean ?? { value: null, interval: null };
  const interval95 = `${value?.toFixed(2)} (${interval?.lower.toFixed(2)} to ${interval?.upper.toFixed(2)})`;
  expect(await rowsOf(page, "Scores by metric")).toEqual([
    ["helpfulness", "24", interval95, "–", "not calibrated", "0"],
  ]);
  const groupsOf = (dimension: "trace_name" | "release") =>
    client.getTraceScoreSummary({ query: { metric_name: "helpfulness", group_by: [dimension] } });
  for (const [button, dimension] of [
    ["By agent", "trace_name"],
    ["By release", "release"],
  ] as const) {
    await page.getByRole("button", { name: button }).click();
    for (const { group, mean } of await groupsOf(dimension))
      await page
        .getByRole("row", { name: group?.[dimension] ?? "" })
        .getByText(
          `${mean?.value?.toFixed(2)} (${mean?.interval?.lower.toFixed(2)} to ${mean?.interval?.upper.toFixed(2)})`,
        )
        .waitFor({ state: "attached" });
  }

  expect(await page.evaluate(hasColor("link"))).toBe(true);
  const before = await page.evaluate<string>("getComputedStyle(document.querySelector('.tone-link')).color");
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => page.evaluate(hasColor("link"))).toBe(true);
  expect(await page.evaluate("getComputedStyle(document.querySelector('.tone-link')).color")).not.toBe(before);
  await page.emulateMedia({ forcedColors: "active" });
  await expect.poll(() => page.evaluate(hasColor("bar"))).toBe(true);
  await page.emulateMedia({ forcedColors: "none" });
  expect(await flawsInEveryLayout(page)).toEqual([]);

  // The charts stay until those of another window are there.
  const reply = Promise.withResolvers<undefined>();
  await page.route(/\/analytics\?/u, async (route) => {
    await reply.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "30 days" }).click();
  await page.locator(".totals[aria-busy=true]").waitFor();
  expect(await page.locator("canvas").count()).toBe(5);
  reply.resolve(undefined);
  await page.locator(".totals[aria-busy=false]").waitFor();
  await page.unroute(/\/analytics\?/u);
  // Without a reply of the new window the totals may not be busy yet, and a chart that is drawn again ends a drag.
  const replied = page.waitForResponse(/\/analytics\?/u);
  await page.getByRole("button", { name: "24 hours" }).click();
  await replied;
  await page.locator(".totals[aria-busy=false]").waitFor();

  // Figures with and without a link are in one line, also where links are padded for fingers.
  await page.setViewportSize({ width: 700, height: 800 });
  const [costTop, tokensTop] = await page.evaluate<
    number[]
  >(`[...document.querySelectorAll(".totals dd")].map((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell.querySelector("a") ?? cell);
    return text.getBoundingClientRect().top;
  })`);
  expect(costTop).toBe(tokensTop);
  await page.setViewportSize({ width: 1280, height: 800 });

  // A drag over a chart selects its range.
  const plot = page.locator(".u-over").first();
  await plot.hover({ position: { x: 5, y: 20 } });
  const box = await plot.boundingBox();
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 20, { steps: 4 });
  await page.mouse.up();
  await page.getByLabel("Until").waitFor();
  expect(page.url()).toMatch(/range=custom/u);
  await page.goBack();
  await page.getByRole("button", { name: "24 hours", pressed: true }).waitFor();
  expect(faults).toEqual([]);
});

test("failures, cost and latency by release and by model equal the service's, and the worst of each is named", async () => {
  const { client, open } = await openDashboard();
  await storeTraces(client);
  const groupsBy = async (by: "release" | "model") => {
    const values = await client.getTraceAnalytics({ query: { metric: "values", by } });
    return await Promise.all(
      values.map(async (item) => {
        const value = "value" in item ? item.value : "";
        const query = { [by]: value, granularity: "all" } as const;
        const [traces] = (await client.getTraceAnalytics({ query: { ...query, metric: "latency" } })) as TraceBucket[];
        const [usage] = (await client.getTraceAnalytics({ query: { ...query, metric: "cost" } })) as UsageBucket[];
        const [all, cost] = [traces?.trace_count ?? 0, usage?.total_cost ?? 0];
        const figures = [all, traces?.error_count, cost, cost / all, traces?.p50_latency_ms, traces?.p95_latency_ms];
        return [value].concat(figures.map(String));
      }),
    );
  };
  await eventually(async () => ((await groupsBy("release"))[1]?.[1] === "12" ? true : undefined));
  const { page, faults } = await open("#/dashboard");

  const shownBy = async (fact: string) => {
    await page.getByRole("region", { name: `Failures, cost and latency by ${fact}`, exact: true }).waitFor();
    return await rowsOf(page, `Failures, cost and latency by ${fact}`);
  };
  const releases = await groupsBy("release");
  expect(releases.map(([value, all, failed]) => [value, all, failed])).toEqual([
    ["2.2", "12", "3"],
    ["2.3", "12", "2"],
  ]);
  expect(await shownBy("release")).toEqual(releases);
  await page
    .getByText(
      "2.2 fails most often (25.0 %, the next 16.7 %); 2.3 costs most a trace ($0.02, the next $0.0065); " +
        "2.3 is slowest by the median (3.4 s, the next 1.8 s).",
    )
    .waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.getByLabel("Group traces by").selectOption("model");
  expect(await shownBy("model")).toEqual(await groupsBy("model"));
  await page.getByLabel("Group traces by").selectOption("prompt");
  await page.getByText("No trace of this window has a prompt.").waitFor();
  await page.getByLabel("Group traces by").selectOption("model");
  await page.getByRole("link", { name: "compare two" }).click();
  await page.getByLabel("By").locator("option:checked", { hasText: "model" }).waitFor({ state: "attached" });
  expect(faults).toEqual([]);
});

test("a window without traces, one that ends before its start, and one of nonsense are told in words", async () => {
  const { open } = await openDashboard();
  const { page, faults } = await open("#/dashboard?started_after=2026-01-01&started_before=2026-01-03");
  await page.getByText("No traces in this window.").waitFor();
  await page.getByText("No scores of the traces in this window").waitFor();

  await page.getByLabel("From").fill("2026-01-05T00:00");
  await page.getByRole("alert").getByText("The end of the window must be after its start.").waitFor();
  await page.evaluate('location.hash = "#/dashboard?started_after=2036-01-01&started_before=soon"');
  await page.getByRole("alert").getByText("The end of the window must be after its start.").waitFor();
  await page.getByRole("button", { name: "7 days" }).click();
  await page.getByText("No traces in this window.").waitFor();
  expect(faults).toEqual([]);
});

test("averages of the local runtime's fixed rules are marked on the dashboard and among the scores", async () => {
  const { client, open } = await openDashboard();
  const { trace_id } = await client.createTrace({
    body: { name: "support", output: "Hello", started_at: new Date().toISOString() },
  });
  await client.createTraceBatchRun({
    body: { trace_ids: [trace_id], metrics: ["task_completion"], model: "offline/rules" },
  });
  await eventually(async () => {
    const [summary] = await client.getTraceScoreSummary({ query: { started_after: "2026-01-01" } });
    return summary?.rule_based_count === 1 ? true : undefined;
  });

  for (const hash of ["#/dashboard", "#/metrics"]) {
    const { page, faults } = await open(hash);
    await page.getByText("1 by offline/rules").first().waitFor();
    expect(faults).toEqual([]);
  }
});

test("charts are drawn in a browser whose language is no language tag", async () => {
  const { client, open } = await openDashboard();
  await storeTraces(client);
  await eventually(async () => (await analytics<TraceBucket>(client, "latency", "all")).at(0));
  const { page, faults } = await open("#/monitors");
  await page.addInitScript(
    'Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix", configurable: true })',
  );
  await page.reload();
  await page.getByRole("link", { name: "Dashboard" }).click();
  await page.locator("canvas, .trouble").first().waitFor();

  expect(await page.locator(".trouble").count()).toBe(0);
  expect(faults).toEqual([]);
});
