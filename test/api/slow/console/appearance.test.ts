import { expect, inject, test } from "vitest";
import { appearanceOf, emptinessOf, firstPaintOf, observe, rowsOf } from "../../../support/browser/appearance.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { createListProject } from "../../../support/browser/list-project.ts";
import type { Tenant } from "../../../support/service/service.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const browser = browserOfFile();
const service = inject("service");

/** A context of the browser that is signed in. */
const contextOf = async ({ bearerToken: token, projectId }: Pick<Tenant, "bearerToken" | "projectId">) => {
  const context = await browser().newContext({ locale: "en-US", viewport: { width: 1280, height: 800 } });
  const viewer = JSON.stringify({ kind: "token", token, projectId });
  await context.addInitScript({ content: `sessionStorage.setItem("assay-reader", ${JSON.stringify(viewer)})` });
  return context;
};

/** A project with traces, a trace without scores, a judged run and a monitor; and a context of the browser that is signed in. */
const signedIn = async () => {
  const { client, service: project } = await createListProject();
  const { trace_id: newTrace } = await client.createTrace({
    body: {
      name: "flight assistant",
      started_at: new Date(Date.now() - 30_000).toISOString(),
      input: "Which flights are there to Oslo?",
      output: "There are three.",
      spans: Array.from({ length: 12 }, (_, index) => ({
        name: "search",
        kind: index % 2 === 0 ? ("TOOL" as const) : ("AGENT" as const),
        started_at: new Date(Date.now() - 30_000 + index * 1_000).toISOString(),
        input: { day: index },
        output: { flights: [index] },
        ...(index === 4 && { status: "ERROR" as const, error: "no seat map" }),
      })),
    },
  });
  const { id: run } = await client.createTraceRun({
    body: { metrics: ["task_completion"], filters: { name: "agent" } },
  });
  await eventually(async () =>
    (await client.getTraceRun({ path: { run_id: run } })).completed_at === null ? undefined : run,
  );
  const { id: monitor } = await client.createMonitor({
    body: {
      name: "nightly",
      target_type: "TRACE",
      metrics: ["task_completion"],
      cadence: "daily",
      filters: { name: "agent" },
    },
  });
  await client.triggerMonitor({ path: { monitor_id: monitor }, query: {} });
  const [judgedTrace] = (await client.listTraces({ query: { status: "ERROR", limit: 1 } })).items;
  const context = await contextOf(project.tenant);
  return { context, newTrace, run, judgedTrace: judgedTrace?.trace_id ?? "" };
};

test("lists show 18 rows, pages use their width and few fonts, and nothing moves while they load", async () => {
  const { context, newTrace, run, judgedTrace } = await signedIn();
  const page = await context.newPage();
  await observe(page);
  const places = [
    ["#/traces", ".trace-row"],
    [`#/traces/${newTrace}`, ".step"],
    [`#/traces/${newTrace}?view=timeline`, ".span-row"],
    [`#/traces/${judgedTrace}`, ".verdict"],
    ["#/sessions", ".session-row"],
    ["#/users", ".user-row"],
    ["#/dashboard?range=7d", ".broad .sides"],
    ["#/runs", ".run-row"],
    [`#/runs/${run}`, ".score-row"],
    ["#/metrics", ".multiple .bars"],
    ["#/monitors", ".monitor p.faint"],
    ["#/alerts", "main a[href^='#/alerts/']"],
    ["#/datasets", "main h1"],
    ["#/settings", "section.settings table"],
  ] as const;
  const fonts = { sizes: new Set<number>(), weights: new Set<number>() };
  const shifts: Record<string, number> = {};
  const emptiness: number[] = [];
  let rows: Awaited<ReturnType<typeof rowsOf>> | null = null;
  for (const [place, selector] of places) {
    // Another document, so that each page loads as from a link.
    await page.goto(`${service.baseUrl}/docs`);
    await page.goto(`${service.baseUrl}/console${place}`);
    await page.locator(selector).first().waitFor();
    await page.waitForLoadState("networkidle");
    const { sizes, weights, shift } = await appearanceOf(page);
    for (const size of sizes) fonts.sizes.add(size);
    for (const weight of weights) fonts.weights.add(weight);
    if (shift > 0.02) shifts[place] = shift;
    if (place.includes(newTrace)) emptiness.push(await emptinessOf(page));
    if (place === "#/traces") rows = await rowsOf(page);
  }
  await page.close();

  expect(rows).toEqual({
    count: expect.toSatisfy((count: number) => count >= 18),
    above: expect.toSatisfy((above: number) => above <= 150),
    cut: [],
  });
  expect(shifts).toEqual({});
  expect([...fonts.sizes].toSorted((a, b) => a - b)).toEqual([12, 13, 15, 20]);
  expect([...fonts.weights].toSorted((a, b) => a - b)).toEqual([400, 600]);
  expect(Math.max(...emptiness)).toBeLessThanOrEqual(0.15);
});

test("on a slow line the first painting has the page's title", async () => {
  const context = await contextOf(service.tenant);
  const titles: string[] = [];
  for (const page of ["monitors", "traces"])
    titles.push(...(await firstPaintOf(context, `${service.baseUrl}/console#/${page}`)));

  expect(titles).toEqual(["Monitors", "Traces"]);
});
