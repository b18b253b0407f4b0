import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
// oxlint-disable-next-line eslint/no-restricted-imports -- the one look at the console
import { openConsole } from "../../support/browser/browser.ts";
import { browserOfFile } from "../../support/browser/file-browser.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const at = (seconds: number): string => new Date(Date.now() - 600_000 + seconds * 1_000).toISOString();

const browser = browserOfFile();

interface Job {
  readonly id: string;
  /** Part of the traces' names, as other tests use the same project. */
  readonly mark: string;
}

/** Creates two traces, one of them with a failure and a score. */
const createJob = async (): Promise<Job> => {
  const mark = `job ${randomUUID().slice(0, 8)}`;
  const { trace_id: id } = await client.createTrace({
    body: {
      name: `${mark} bad`,
      status: "ERROR",
      started_at: at(0),
      ended_at: at(4),
      input: { messages: [{ role: "user", content: "Cancel my subscription, please" }] },
      spans: [
        { name: "get_subscription", kind: "TOOL", status: "ERROR", started_at: at(1), error: "billing is down" },
        { name: "answer", kind: "LLM", started_at: at(2), output: "I could not." },
      ],
    },
  });
  await client.createTrace({ body: { name: `${mark} good`, started_at: at(5), input: "Hello", output: "Hello." } });
  await client.createTraceBatchRun({ body: { trace_ids: [id], metrics: ["task_completion"] } });
  await eventually(async () => (await client.getTraceScores({ path: { score_id: id } }))[0]);
  return { id, mark };
};

const judged = (page: Page) => page.locator(".verdict", { hasText: "task completion" });

const ofPerson = async (id: string) => {
  const [score] = await client.getTraceScores({ path: { score_id: id } });
  return [score?.source, score?.value, score?.reason];
};

test("with the mouse only: a bad trace is found, inspected, corrected, evaluated again, and seen in the trend", async () => {
  const { id, mark } = await createJob();
  const { page, faults } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);

  await page.getByText("2 traces", { exact: true }).waitFor();
  await page.getByText("Cancel my subscription, please").waitFor();
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await page.getByText("1 trace", { exact: true }).waitFor();
  await page.getByText("Cancel my subscription, please").click();
  await page.getByText("billing is down").first().waitFor();
  await judged(page).getByText("by offline/rules").waitFor();
  await judged(page).getByText("saw 100 % of the trace").waitFor();

  const before = (await client.getTraceScores({ path: { score_id: id } }))[0];
  await judged(page).getByRole("button", { name: "Disagree" }).click();
  await page.keyboard.type("It did say why.");
  await judged(page).getByRole("button", { name: "Correct it" }).click();
  await judged(page).getByText(`The judge said ${before?.value} before a person corrected it.`).waitFor();
  expect(await ofPerson(id)).toEqual(["ANNOTATION", Number(before?.value) >= 0.5 ? "0" : "1", "It did say why."]);

  await page.getByRole("button", { name: "Evaluate …" }).click();
  await page.getByText(/1 trace, 1 judge call, about \$0/u).waitFor();
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.getByRole("link", { name: "View run" }).click();
  await page.getByText("1 of 1").waitFor();
  await page.locator(".score-row", { hasText: "task completion" }).waitFor();

  await page.getByRole("link", { name: "Metrics" }).click();
  const card = page.locator(".multiple", { has: page.getByRole("heading", { name: "task completion" }) });
  const plot = card.locator(".trend .u-over");
  // A scroll bar that appears later may narrow the chart by a few pixels: the middle of the last day is still within it.
  const { width } = (await plot.boundingBox()) ?? { width: 0 };
  await plot.click({ position: { x: width - 12, y: 20 } });
  await page.getByText("lowest first").waitFor();
  await page.locator(".score-row").first().waitFor();
  expect(faults).toEqual([]);
});

/** Presses Tab until the element with a name has the focus. */
const tabTo = async (page: Page, name: RegExp): Promise<void> => {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    const text = await page.evaluate<string>(
      "document.activeElement?.closest('a,button,input,select')?.textContent?.trim() ?? ''",
    );
    if (name.test(text)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`No Tab leads to ${name.source}.`);
};

test("with the keyboard only: a bad trace is found, confirmed, evaluated again, and seen in the trend", async () => {
  const { id, mark } = await createJob();
  const { page, faults } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);
  const press = (key: string) => page.keyboard.press(key);

  await page.getByText("2 traces", { exact: true }).waitFor();
  await press("f");
  await page.getByText("1 trace", { exact: true }).waitFor();
  await page.locator(".trace-row").waitFor();
  await press("Enter");
  await judged(page).getByText("by offline/rules").waitFor();
  await press("t");
  await page.getByRole("treegrid", { name: "Spans" }).waitFor();
  await press("j");
  await page.getByRole("row", { selected: true }).getByText("get_subscription").waitFor();
  await page.getByRole("article", { name: "Span get_subscription" }).getByText("billing is down").first().waitFor();
  await press("Escape");
  await press("a");
  await judged(page).getByText("A person agrees with the judge.").waitFor();
  expect((await ofPerson(id))[0]).toBe("ANNOTATION");

  await press("e");
  await page.getByText(/1 trace, 1 judge call, about \$0/u).waitFor();
  await tabTo(page, /^Evaluate now$/u);
  await press("Enter");
  await page.getByText("Run started").waitFor();
  await tabTo(page, /^View run$/u);
  await press("Enter");
  await page.getByText("1 of 1").waitFor();
  await tabTo(page, /^Metrics$/u);
  await press("Enter");
  await page.locator(".multiple", { hasText: "task completion" }).waitFor();
  expect(faults).toEqual([]);
});

test("the traces of a filtered list are evaluated, and a monitor is created with the same filters", async () => {
  const { mark } = await createJob();
  const { page, faults } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);

  await page.getByRole("button", { name: "Evaluate all" }).click();
  await page.getByText(/2 traces, 2 judge calls/u).waitFor();
  await page.getByLabel("Max cost in US dollars").fill("0.5");
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.getByRole("link", { name: "View run" }).click();
  await page.getByText("of at most $0.50").waitFor();
  await page.getByText("2 of 2").waitFor();

  await page.evaluate(`location.hash = "#/monitors?name=${encodeURIComponent(mark)}"`);
  await page.getByRole("button", { name: "New monitor" }).click();
  await page.getByText(/2 traces, 2 judge calls/u).waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(mark);
  await page.getByRole("button", { name: "Create monitor" }).click();
  const card = page.locator(".monitor", { hasText: mark });
  await card.getByRole("button", { name: "Pause" }).click();
  await card.getByText("paused", { exact: true }).waitFor();
  await card.getByRole("button", { name: "Resume" }).click();
  expect(faults).toEqual([]);
});

test("selected traces are tagged and deleted, and dragging over the chart selects a range of times", async () => {
  const { id, mark } = await createJob();
  const { page, faults } = await openConsole(browser(), service, `#/traces?name=${encodeURIComponent(mark)}`);
  await page.getByText("2 traces", { exact: true }).waitFor();

  await page.keyboard.press("x");
  await page.getByText("1 trace selected").waitFor();
  await page.getByLabel("Tag", { exact: true }).fill("looked at");
  await page.keyboard.press("Enter");
  await page.locator(".trace-row", { hasText: "looked at" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("group", { name: /^Delete 1 trace with all scores/u }).waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.keyboard.press("x");
  await page.getByText("1 trace selected").waitFor();
  // The confirmation of the earlier deletion is not shown for this one.
  expect(await page.getByRole("group", { name: /^Delete/u }).count()).toBe(0);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page
    .getByRole("group", { name: /^Delete 1 trace/u })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByText("1 trace", { exact: true }).waitFor();
  await expect(client.getTrace({ path: { trace_id: id } })).rejects.toMatchObject({ status: 404 });

  const strip = await page.locator(".strip .u-over").boundingBox();
  if (strip === null) throw new Error("There is no strip.");
  // The chart begins with the project's first trace, so that its width may be a few hours or many.
  await page.mouse.move(strip.x + 2, strip.y + 20);
  await page.mouse.down();
  await page.mouse.move(strip.x + strip.width - 2, strip.y + 20, { steps: 4 });
  await page.mouse.up();
  await page.getByRole("button", { name: /^Remove filter from/u }).waitFor();
  await page.getByRole("button", { name: /^Remove filter until/u }).waitFor();
  await page.getByText("1 trace", { exact: true }).waitFor();
  await page.getByRole("button", { name: "All time" }).click();
  await page.getByText("Newest first").waitFor({ state: "attached" });
  expect(await page.getByRole("button", { name: /^Remove filter from/u }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test("a session is shown as one transcript, and its score with the trace scores it is computed from and its previous value", async () => {
  const session = randomUUID();
  const { trace_id: id } = await client.createTrace({
    body: { name: "turn", session_id: session, started_at: at(0), input: "Where is it?", output: "On its way." },
  });
  await client.createTrace({
    body: { name: "turn", session_id: session, started_at: at(5), input: "Thank you", output: "Gladly." },
  });
  await client.createTraceBatchRun({ body: { trace_ids: [id], metrics: ["task_completion"] } });
  for (const round of [1, 2]) {
    await client.createSessionBatchRun({ body: { session_ids: [session], metrics: ["agent_reliability"] } });
    await eventually(async () => {
      const points = await client.getSessionScoreHistory({ path: { session_id: session }, query: {} });
      return points.length === round ? true : undefined;
    });
  }
  const { page, faults } = await openConsole(browser(), service, `#/sessions/${session}`);

  await page.getByText("On its way.").waitFor();
  await page.getByText("Gladly.").waitFor();
  const verdict = page.locator(".verdict", { hasText: "agent reliability" });
  await verdict.waitFor();
  expect(await verdict.count()).toBe(1);
  await verdict.getByText(/^Computed from \d+ scores?$/u).click();
  await verdict.locator(`a[href*="${id}"]`).first().waitFor();
  await verdict.locator(".history li").nth(1).waitFor();
  await page.getByRole("link", { name: "← Sessions" }).waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL(/#\/sessions$/u);
  expect(faults).toEqual([]);
});
