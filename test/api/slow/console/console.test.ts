import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import type { SpanInput } from "../../../../lib/client/interface.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
/** Part of names, as other tests use the same project. */
const mark = `console ${randomUUID().slice(0, 8)}`;
const at = (seconds: number): string => new Date(Date.now() - 600_000 + seconds * 1_000).toISOString();

const browser = browserOfFile();

const failing = async (): Promise<string> => {
  const { trace_id: id } = await client.createTrace({
    body: {
      name: `${mark} failing`,
      status: "ERROR",
      started_at: at(0),
      ended_at: at(4),
      input: "Cancel my subscription",
      output: null,
      spans: [
        {
          span_id: randomUUID(),
          name: "get_subscription",
          kind: "TOOL",
          status: "ERROR",
          started_at: at(1),
          input: { customer: "c-5521" },
          error: "billing is down",
        },
      ],
    },
  });
  await client.createTraceScore({
    body: { trace_id: id, name: "taste", value: "0.25", data_type: "NUMERIC", reason: "It gave up." },
  });
  return id;
};

test("a bad trace is found by its failure and opened by keyboard, and shows its conversation beside the verdict", async () => {
  await failing();
  const { page, faults } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);

  // Without the filter the list may have other traces too.
  const filtered = page.waitForResponse((response) => /\/traces\?.*status=ERROR/u.test(response.url()));
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await filtered;
  await page.getByText("1 trace", { exact: true }).waitFor();
  await page.locator(".trace-row").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("body").click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: `${mark} failing` }).waitFor();
  await page.getByText("billing is down").first().waitFor();
  const verdict = page.locator(".verdict", { hasText: "taste" });
  expect(await verdict.textContent()).toContain("It gave up.");
  expect(await verdict.locator(".value").textContent()).toBe("0.25");
  await page.getByRole("link", { name: "← Traces" }).click();
  await page.getByRole("button", { name: "Failed", exact: true, pressed: true }).waitFor();
  expect(page.url()).not.toContain("token");
  expect(faults).toEqual([]);
});

test("an evaluation shows its estimated cost before it begins, and its verdicts appear at the trace", async () => {
  const id = await failing();
  const { page, faults } = await openConsole(browser(), service, "#/runs");
  await page.clock.install();
  await page.evaluate(`location.hash = "#/traces/${id}"`);

  await page.getByRole("button", { name: "Evaluate …" }).click();
  await page.getByText(/1 trace, 1 judge call/u).waitFor();
  expect((await client.getTraceScores({ path: { score_id: id } })).map(({ name }) => name)).toEqual(["taste"]);
  const judge = page.getByLabel("Judge", { exact: true });
  await judge.fill("openai/gpt-5.4-mini");
  await judge.blur();
  await page.getByText(/Cheaper: openai\/gpt-6-luna \(flex\) .* · openai\/gpt-6-luna .* with cache/u).waitFor();
  await judge.fill("");
  await judge.blur();
  await page.getByText(/1 trace, 1 judge call, about \$0/u).waitFor();
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.getByText("Run started").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await eventually(async () => (await client.getTraceScores({ path: { score_id: id } }))[1]);
  // The page polls.
  await page.clock.fastForward(10_000);

  await page.locator(".verdict", { hasText: "task completion" }).getByText("by offline/rules").waitFor();
  expect(faults).toEqual([]);
});

test("a citation of a verdict leads to its span, both beside the verdict and in the conversation", async () => {
  const id = await failing();
  const [span] = (await client.getTrace({ path: { trace_id: id } })).spans;
  const { page, faults } = await openConsole(browser(), service, "#/runs");
  // The offline judge cites statuses only, so a citation is inserted into the reply.
  await page.route(/\/trace-scores\/[^/?]+$/u, async (route) => {
    const response = await route.fetch();
    const scores = (await response.json()) as readonly object[];
    const evidence = [{ span_id: span?.span_id, quote: "billing is down" }];
    await route.fulfill({ response, json: scores.map((score) => Object.assign(score, { evidence })) });
  });
  await page.evaluate(`location.hash = "#/traces/${id}"`);

  await page.getByRole("list", { name: "Evidence" }).getByRole("button", { name: "billing is down" }).click();

  await page.getByRole("article", { name: "Span get_subscription" }).waitFor();
  await page.locator(`#turn-${span?.span_id}.on`).waitFor();
  expect(new URL(page.url()).hash).toContain(`span=${span?.span_id}`);
  expect(faults).toEqual([]);
});

test("of five thousand spans only those in view are rendered, including the selected one", async () => {
  const { trace_id: id } = await client.createTrace({
    body: { name: `${mark} long`, started_at: at(0), input: "Look", output: "Found" },
  });
  const spans = Array.from({ length: 5_000 }, (_, index): SpanInput => ({
    span_id: randomUUID(),
    name: `step ${index}`,
    kind: index % 2 === 0 ? "LLM" : "TOOL",
    started_at: at(index / 100),
    ended_at: at(index / 100 + 0.01),
    input: { line: index },
  }));
  for (let start = 0; start < spans.length; start += 500)
    await client.createSpans({ path: { trace_id: id }, body: spans.slice(start, start + 500) });
  const last = spans[4_200]?.span_id ?? "";

  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?view=timeline&span=${last}`);

  await page.getByRole("row", { selected: true }).getByText("step 4200").waitFor();
  expect(await page.locator("main *").count()).toBeLessThan(600);
  await page.keyboard.press("j");
  await page.getByRole("row", { selected: true }).getByText("step 4201").waitFor();
  expect(faults).toEqual([]);
});

test("a hostile trace runs no script, sends no request, and stays readable", async () => {
  const attack = `<img src="https://example.org/x" onerror="alert(1)"><script>alert(1)</script>`;
  const links = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java&#x73;cript:alert(1)",
    "vbscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+",
    "file:///etc/passwd",
    "//example.org/z",
    "https://example.org/w",
  ];
  const nested = Array.from({ length: 40 }).reduce<string>((inner) => JSON.stringify([inner]).slice(0, 4_000), attack);
  const call = randomUUID();
  const { trace_id: id } = await client.createTrace({
    body: {
      name: `${mark} \u202e${attack}`,
      started_at: at(0),
      user_id: "javascript:alert(1)",
      tags: Array.from({ length: 100 }, (_, index) => `${index} ${"t".repeat(200)}`),
      input: `${attack} ![x](https://example.org/y) [z](javascript:alert(1)) ${"word ".repeat(200_000)}`,
      output: Array.from({ length: 95 }).reduce<unknown>((inner) => [inner], attack),
      spans: [
        { name: attack, started_at: at(1), kind: "TOOL", input: attack, error: attack },
        {
          span_id: call,
          name: attack,
          started_at: at(2),
          kind: "LLM",
          input: {
            tools: [{ name: attack, description: attack, parameters: { [attack]: attack } }],
            [attack]: attack,
            messages: [
              { role: attack, name: attack, content: attack },
              {
                role: "user",
                content: links.flatMap((link) => [`[a](${link}) ![b](${link}) <${link}>`, `| ${link} |\n|--|`]),
              },
              { role: "user", content: links.map((url) => ({ type: "image_url", image_url: { url } })) },
              {
                role: "user",
                content: [">".repeat(3_000), "[".repeat(3_000), "*a_ ".repeat(3_000), "- ".repeat(1_000)],
              },
              { role: "assistant", tool_calls: [{ id: "1", function: { name: attack, arguments: nested } }] },
              { role: "tool", tool_call_id: "1", content: JSON.stringify({ [attack]: [attack, ...links] }) },
            ],
          },
          output: { role: "assistant", content: `@@@langfuseMedia:type=${attack}|id=1|source=x@@@\n\n${attack}` },
        },
      ],
    },
  });
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?span=${call}`);
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });

  await page.getByRole("heading", { name: mark }).waitFor();
  await page.getByText("more characters").first().click();
  await page.locator(".span-detail .message").last().waitFor();
  // Unfolds everything, level by level.
  for (let level = 0; level < 6; level += 1)
    await page.evaluate("for (const each of document.querySelectorAll('details:not([open]) > summary')) each.click()");

  const foreign = `img, iframe, script:not([src^="console/assets/"]), link:not([href^="console/assets/"])`;
  expect(await page.locator(foreign).count()).toBe(0);
  const targets = await page.evaluate<string[]>(
    "[...document.querySelectorAll('main a[target]')].map(({ href }) => href)",
  );
  expect(targets.length).toBeGreaterThan(3);
  expect(targets.filter((href) => !href.startsWith("https://example.org/"))).toEqual([]);
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
  expect([dialogs, faults]).toEqual([[], []]);
});

test("every page and a dialog are accessible in both color schemes and at every width, and fit the width", async () => {
  const id = await failing();
  const session = randomUUID();
  await client.createTrace({
    body: { name: mark, started_at: at(0), session_id: session, input: "Hello", output: "Hi" },
  });
  const run = await client.createTraceBatchRun({ body: { trace_ids: [id], metrics: ["task_completion"] } });
  await client.createMonitor({
    body: {
      name: mark,
      target_type: "TRACE",
      metrics: ["task_completion"],
      cadence: "daily",
      filters: { name: mark },
    },
  });
  const alert = await client.createAlert({ body: { name: mark, signal: "volume", window: "1h", threshold: 1 } });
  const { id: dataset_id } = await client.createDataset({ body: { name: mark } });
  await client.createDatasetItems({ path: { dataset_id }, body: { items: [{ source: { trace_id: id } }] } });
  const places: readonly (readonly [place: string, there: string])[] = [
    ["#/datasets", "main table"],
    [`#/datasets/${dataset_id}`, ".list-row"],
    ["#/traces", ".trace-row"],
    [`#/traces/${id}`, ".verdict"],
    [`#/traces/${id}?view=timeline`, ".span-row"],
    [`#/sessions/${session}`, ".turn"],
    ["#/runs", ".run-row"],
    [`#/runs/${run.id}`, ".score-row"],
    [`#/runs/${run.id}?view=targets`, ".target-row"],
    ["#/metrics?by=judge", ".multiple .groups"],
    ["#/scores?name=taste", ".score-row"],
    ["#/alerts", ".alert-row"],
    [`#/alerts/${alert.id}`, ".signal"],
    [`#/alerts/${alert.id}?edit=1`, ".signal"],
    ["#/monitors", ".monitor"],
  ];
  const { page } = await openConsole(browser(), service, "#/traces", { reducedMotion: "reduce" });
  for (const [hash, selector] of places) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator(selector).first().waitFor();
    expect(await flawsInEveryLayout(page)).toEqual([]);
  }
  await page.keyboard.press("n");
  await page
    .getByRole("dialog")
    .getByText(/judge calls?/u)
    .waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Shortcuts" }).click();
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
});

test("an expired credential shows a message, and signing in with a key returns to the same page", async () => {
  const id = await failing();
  // The newest project is another one, and the reader's project is on a later page of the key's projects.
  const newer = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName: `${mark} newer` } });
  await newer.createTrace({ body: { name: mark, started_at: at(0) } });
  const { page } = await openConsole(browser(), service, `#/traces/${id}`);
  await page.route(/\/projects\?limit=100/u, (route) =>
    route.continue({ url: route.request().url().replace("limit=100", "limit=1") }),
  );
  await page.getByRole("heading", { name: `${mark} failing` }).waitFor();
  // The credential may expire before the page has read the project's name.
  await page.evaluate(
    "sessionStorage.removeItem('assay-project'), sessionStorage.setItem('assay-reader', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('assay-reader')), token: 'ended' }))",
  );
  await page.reload();

  await page.getByText("Your session has ended").waitFor();
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Sign in with the key" }).click();

  await page.getByRole("heading", { name: `${mark} failing` }).waitFor();
  expect(await page.getByLabel("API key").count()).toBe(0);
});
