import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { createProject } from "../../../../lib/contract/access/projects.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { people } from "../../../support/users.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const browser = browserOfFile();
const { organization } = people();

/** Stores traces that a run judges, of which the first ones have failed. @returns the run's id and those of the traces. */
const judgedTraces = async (count: number, failed = 1) => {
  const started_at = new Date().toISOString();
  const traces = Array.from({ length: count }, (_, at) => ({
    trace_id: randomUUID(),
    name: `reviewed ${at}`,
    started_at,
    status: at < failed ? ("ERROR" as const) : ("COMPLETED" as const),
    input: `Question ${at}`,
    output: at < failed ? null : `Answer ${at}`,
    spans: [{ name: "look up", kind: "TOOL" as const, started_at, input: { at }, output: "found" }],
  }));
  await client.createTraces({ body: { traces } });
  const trace_ids = traces.map(({ trace_id: id }) => id);
  const { id: run_id } = await client.createTraceBatchRun({ body: { trace_ids, metrics: ["task_completion"] } });
  await eventually(async () => (await client.getTraceRun({ path: { run_id } })).completed_at ?? undefined);
  await eventually(async () => {
    const { total } = await client.listTraceScores({ query: { eval_run_id: run_id, limit: 1 } });
    return total === count ? true : undefined;
  });
  return { run_id, trace_ids };
};

test("the lowest scores of a run are reviewed one after the other by keyboard, with a value of the scale and a note", async () => {
  const { run_id, trace_ids } = await judgedTraces(3);
  // A score without a number beside that of the run never takes its place.
  await client.createTraceScore({
    body: { trace_id: trace_ids[0] ?? "", name: "thumbs_up", data_type: "BOOLEAN", value: "true" },
  });
  const { page, faults } = await openConsole(browser(), service, `#/runs/${run_id}`);
  await page.getByRole("link", { name: "Review the lowest" }).click();
  const heading = page.locator("section[aria-label=Trace] > h2");
  const status = page.locator("header.title [role=status]");
  await page.getByText("1 of 3, lowest first").waitFor();
  await heading.getByText("reviewed 0").waitFor();
  const card = page.locator(".verdict.on");
  await card.getByText("by offline/rules").waitFor();
  const [before] = await client.getTraceScores({ path: { score_id: trace_ids[0] ?? "" } });
  expect(await flawsInEveryLayout(page)).toEqual([]);

  await page.keyboard.press("d");
  await card.getByLabel("It should be").fill("7");
  await card.getByRole("button", { name: "Correct it" }).click();
  expect(await page.getByText("1 of 3, lowest first").count()).toBe(1);
  await card.getByLabel("because").focus();
  await page.keyboard.type("Half of it.");
  await card.getByLabel("It should be").fill("0.5");
  await page.keyboard.press("Enter");
  await page.getByText("2 of 3, lowest first").waitFor();
  await card.getByText("by offline/rules").waitFor();
  const second = await heading.innerText();
  await page.keyboard.press("a");
  await page.getByText("3 of 3, lowest first").waitFor();
  await page.keyboard.press("j");
  expect(await status.innerText()).toBe("3 of 3, lowest first");
  // An address of more scores than there are leads to the last one.
  await page.evaluate(`location.hash = "#/review?eval_run_id=${run_id}&at=5000"`);
  await page.getByText("3 of 3, lowest first").waitFor();
  await page.evaluate(`location.hash = "#/review?eval_run_id=${run_id}&at=2"`);

  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await card.getByText(`The judge said ${before?.value} before a person corrected it.`).waitFor();
  await card.getByText(`corrected it. ${before?.reason}`).waitFor();
  await card.getByText("Half of it.").waitFor();
  const scores = await Promise.all(
    trace_ids.map(async (score_id) => (await client.getTraceScores({ path: { score_id } }))[0]),
  );
  expect(scores.map((score) => score?.source).toSorted()).toEqual(["ANNOTATION", "ANNOTATION", "AUTOMATED"]);
  expect(scores[0]).toMatchObject({ value: "0.5", reason: "Half of it." });
  expect(scores[Number(second.replace("reviewed ", ""))]?.source).toBe("ANNOTATION");
  await page.keyboard.press("Escape");
  await page.waitForURL(new RegExp(`#/runs/${run_id}`, "u"));
  expect(faults).toEqual([]);
});

test("the review of a run changes its own scores, not a later run's, and a reload goes on with the same score", async () => {
  // All have the lowest value: the corrected one goes to the end of the order.
  const { run_id, trace_ids } = await judgedTraces(3, 3);
  const later = await client.createTraceBatchRun({ body: { trace_ids, metrics: ["task_completion"] } });
  const scoresOf = async (eval_run_id: string) =>
    (await client.listTraceScores({ query: { eval_run_id, limit: 10 } })).items;
  await eventually(async () => ((await scoresOf(later.id)).length === 3 ? true : undefined));
  const { page, faults } = await openConsole(browser(), service, `#/review?eval_run_id=${run_id}`);
  const card = page.locator(".verdict.on");
  const heading = page.locator("section[aria-label=Trace] > h2");
  await page.getByText("1 of 3, lowest first").waitFor();
  await card.getByText("by offline/rules").waitFor();

  await page.keyboard.press("d");
  await card.getByLabel("It should be").fill("0.99");
  await card.getByLabel("because").fill("Nearly all of it.");
  await page.reload();
  // What was typed goes on, the value as well as the words.
  expect(await card.getByLabel("It should be").inputValue()).toBe("0.99");
  await card.getByLabel("because").press("Enter");
  await page.getByText("2 of 3, lowest first").waitFor();
  await card.getByText("by offline/rules").waitFor();
  const second = await heading.innerText();
  await page.reload();
  await card.getByText("by offline/rules").waitFor();

  expect(await heading.innerText()).toBe(second);
  expect((await scoresOf(run_id)).filter(({ value }) => value === "0.99")).toHaveLength(1);
  expect((await scoresOf(later.id)).map(({ source }) => source)).toEqual(["AUTOMATED", "AUTOMATED", "AUTOMATED"]);
  expect(faults).toEqual([]);
});

test("a correction proposes the levels of a custom metric", async () => {
  const trace_id = randomUUID();
  await client.createTrace({
    body: { trace_id, name: "levels", started_at: new Date().toISOString(), output: "No error" },
  });
  const name = `levels_${trace_id.slice(0, 8)}`;
  const check = { type: "lacks", text: "Error" };
  await client.createOwnMetric({ body: { name, kind: "check", description: "No error is told.", check } });
  await client.createTraceBatchRun({ body: { trace_ids: [trace_id], metrics: [name] } });
  await eventually(async () => {
    const { total } = await client.listTraceScores({ query: { trace_id, limit: 1 } });
    return total === 1 ? true : undefined;
  });
  const { page, faults } = await openConsole(browser(), service, `#/scores?name=${name}`);
  await page.getByRole("link", { name: "Review them" }).click();
  await page.getByRole("button", { name: "Disagree …" }).click();

  const { rubric } = await client.getOwnMetric({ path: { metric_name: name } });
  expect(await page.locator("datalist option").count()).toBe(rubric?.levels.length ?? 0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.waitForURL(new RegExp(`#/scores\\?name=${name}`, "u"));
  expect(faults).toEqual([]);
});

test("a correction or an agreement of a second tab never replaces silently what somebody has stored meanwhile", async () => {
  const { run_id, trace_ids } = await judgedTraces(2);
  const [score_id = "", ...rest] = await Promise.all(
    trace_ids.map(async (id) => (await client.getTraceScores({ path: { score_id: id } }))[0]?.id ?? ""),
  );
  expect(rest).toHaveLength(1);
  const { page, faults } = await openConsole(browser(), service, `#/review?eval_run_id=${run_id}`);
  const card = page.locator(".verdict.on");
  await page.getByText("1 of 2, lowest first").waitFor();
  await card.getByText("by offline/rules").waitFor();
  const before = (await client.getScore({ path: { score_id } })).value;
  await page.keyboard.press("d");
  await card.getByLabel("because").fill("a quarter at most");
  await card.getByLabel("It should be").fill("0.75");
  await client.updateTraceScore({ path: { score_id }, body: { value: "0.5", reason: "Half of it." } });
  await card.getByRole("button", { name: "Correct it" }).click();

  await card.getByRole("alert").getByText(`Changed since you opened it: ${before} is now 0.5`).waitFor();
  await card.getByRole("alert").getByText("(“Half of it.”). Yours, 0.75, is not stored.").waitFor();
  expect(await client.getScore({ path: { score_id } })).toMatchObject({ value: "0.5", reason: "Half of it." });
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await client.updateTraceScore({ path: { score_id }, body: { value: "0.6" } });
  await card.getByRole("button", { name: "Store 0.75 all the same" }).click();
  await card.getByRole("alert").getByText(`${before} is now 0.6`).waitFor();
  await card.getByRole("button", { name: "Store 0.75 all the same" }).click();
  await page.getByText("2 of 2, lowest first").waitFor();
  expect(await client.getScore({ path: { score_id } })).toMatchObject({ value: "0.75", reason: "a quarter at most" });

  await card.getByText("by offline/rules").waitFor();
  const second = rest[0] ?? "";
  await client.updateTraceScore({ path: { score_id: second }, body: { value: "0.1", reason: "No." } });
  await page.keyboard.press("a");
  await card.getByRole("button", { name: "Keep 0.1" }).click();
  await card.getByText("by a person, after offline/rules").waitFor();
  expect(await client.getScore({ path: { score_id: second } })).toMatchObject({ value: "0.1", reason: "No." });
  expect(faults).toEqual([]);
});

test("scores of several people stand beside each other with their names, one's own as you", async () => {
  const { id: org_id, owner, join } = await organization("Reviewers");
  const { id: projectId } = await owner.answer(createProject, { params: { org_id }, body: { name: "reviewed" } });
  const member = await join("MEMBER");
  const [mine, theirs] = [owner.token, member.token].map((token) =>
    createClient({ baseUrl: service.baseUrl, credentials: { token, projectId } }),
  );
  const trace_id = randomUUID();
  await mine?.createTrace({ body: { trace_id, name: "tried", started_at: new Date().toISOString(), output: "Ho" } });
  const score = { trace_id, name: "tone", data_type: "NUMERIC" } as const;
  await theirs?.createTraceScore({ body: { ...score, value: "0.2", reason: "Too short." } });
  await theirs?.createTraceScore({ body: { ...score, value: "0.4", reason: "Short." } });
  await mine?.createTraceScore({ body: { ...score, value: "0.9", reason: "Fine." } });
  const tenant = { bearerToken: owner.token, projectId };
  const { page, faults } = await openConsole(browser(), { baseUrl: service.baseUrl, tenant }, `#/traces/${trace_id}`);

  await page.getByText("by you").waitFor();
  const others = page.getByRole("list", { name: "Scores of other people" });
  await others.getByText("member").waitFor();
  expect(await others.getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^0\.4 member .*\nShort\.$/u),
  ]);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  const asMember = await openConsole(
    browser(),
    { baseUrl: service.baseUrl, tenant: { bearerToken: member.token, projectId } },
    `#/traces/${trace_id}`,
  );
  await asMember.page.getByText("by Olga").waitFor();
  await asMember.page.getByRole("list", { name: "Scores of other people" }).getByText("0.4 you").waitFor();
  expect([faults, asMember.faults]).toEqual([[], []]);
});
