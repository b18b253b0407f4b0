import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { firstWindow } from "../../../lib/maintenance/first-window.ts";
import { evaluateAlerts } from "../../../lib/maintenance/evaluate-alerts.ts";
import { pastWindows } from "../../../lib/store/alerts/past-windows.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { alertRuleOf, alertWorkers } from "../../support/alerts/workers.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { storedTrace } from "../scores/score-fixture.ts";

const minute = 60_000;
const database = quietDatabase();

/** A new rule with failed traces in its last full window and others in the window before, and the sweep after its creation. */
const newRule = async (limit: number, settings: { compare_with?: "previous_window" } = {}) => {
  const [project, clock] = [randomUUID(), { at: Date.now() }];
  const now = () => clock.at;
  const { rules, states, sums, unreadScores } = alertWorkers(database(), now);
  const plain = { window: "1h", threshold: 0.3, minimum_count: 1, significance: false } as const;
  const rule = alertRuleOf(project, { ...plain, ...settings }, clock.at);
  const trace = (status: "ERROR" | "COMPLETED", minutes: number) =>
    storedTrace(database(), project, { status, started_at: instantAt(rule.anchor - minutes * minute) });
  for (const minutes of [10, 20, 30]) await trace("ERROR", minutes);
  for (const minutes of [70, 80]) await trace("COMPLETED", minutes);
  await rules.create(rule);
  const reads: number[] = [];
  const read = firstWindow(pastWindows(database(), limit, now), sums);
  const sweep = async (time: number, pause = 0) => {
    clock.at = rule.anchor + time;
    const slowRead: typeof read = async (of) => {
      reads.push(time);
      clock.at += pause;
      return await read(of);
    };
    const due: typeof states.due = async function* (at) {
      for await (const each of states.due(at)) if (each.project === project) yield each;
    };
    const parts = { rules, states: { ...states, due }, sums, firstWindow: slowRead, unreadScores, now };
    await evaluateAlerts(parts, minute);
    return await states.get(project, rule.id);
  };
  return { rule, project, clock, rules, states, sweep, reads };
};

test("a new rule evaluates the last full window once, from rows, before its own windows", async () => {
  const { rule, project, states, sweep, reads } = await newRule(100);
  expect((await sweep(29_000))?.state.windowEnd).toBe(0);
  const stored = await sweep(minute);
  expect(stored?.state).toMatchObject({ name: "ALERT", windowEnd: rule.anchor });
  expect(stored?.evaluation).toMatchObject({ verdict: "alert", value: 1, count: 3, reason: null });
  for (const time of [61, 121, 181]) await sweep(time * minute);

  const history = await states.history(project, rule.id);
  expect(history.map(({ transition, end, late }) => [transition, (end - rule.anchor) / minute, late])).toEqual([
    ["cleared", 120, false],
    ["raised", 0, false],
  ]);
  expect(reads).toEqual([minute]);
});

test("the last full window is compared with the one before, and is the baseline of the first one", async () => {
  const { rule, sweep } = await newRule(100, { compare_with: "previous_window" });
  const stored = await sweep(minute);
  expect(stored?.evaluation).toMatchObject({ verdict: "alert", value: 1, reference: 0, count: 3, referenceCount: 2 });
  const next = await sweep(61 * minute);
  expect(next?.evaluation).toMatchObject({ verdict: "no_data", reference: 1, count: 0, referenceCount: 3 });
  expect(next?.state.windowEnd).toBe(rule.anchor + 60 * minute);
});

test("more traces than are read at once are told, and decide nothing", async () => {
  const { sweep } = await newRule(2);
  const { state, evaluation } = (await sweep(minute)) ?? {};
  expect([state?.name, evaluation?.verdict]).toEqual(["NO_DATA", "cannot_tell"]);
  expect(evaluation?.reason).toContain("more than 100,000 traces or scores");
});

test("new rules whose rows take long to read are evaluated in later sweeps", async () => {
  const { project, rule, rules, sweep, reads } = await newRule(100);
  await rules.create({ ...rule, id: randomUUID(), projectId: project });
  await sweep(minute, 16_000);
  expect(reads).toEqual([minute]);
  await sweep(2 * minute, 16_000);
  expect(reads).toEqual([minute, 2 * minute]);
});
