import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { evaluate } from "../../../lib/domain/alerts/evaluate.ts";
import type { AlertSettings } from "../../../lib/domain/alerts/fields.ts";
import { withAlertSettings, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { observationCount, noSums } from "../../../lib/domain/alerts/sums.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { alertEvent } from "../../../lib/monitors/alert-event.ts";
import { alertSumsPartition, ruleKey, sumsPrefix } from "../../../lib/store/alerts/keys.ts";
import { alertRules } from "../../../lib/store/alerts/rules.ts";
import type { Transition } from "../../../lib/store/alerts/states.ts";
import { unpackEvent } from "../../../lib/store/events/outbox.ts";
import { alertRuleOf, alertWorkers, referenceRow, rowRecord } from "../../support/alerts/workers.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { pauseAt } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { seeded } from "../../support/random.ts";

const minute = 60_000;
const begin = Date.parse("2026-11-09T10:20:30Z");
const database = quietDatabase();
const shown = { window: "5m", significance: false, minimum_count: 1 } as const;

/** A rule with workers at the time of a clock, and a function that folds one trace that starts now, or then. */
const watched = async (changes: Partial<AlertSettings> = {}) => {
  const [project, clock] = [randomUUID(), { at: begin }];
  const workers = alertWorkers(database(), () => clock.at);
  const rule = await workers.rules.create(alertRuleOf(project, { ...shown, ...changes }, begin));
  const trace = async (failed: boolean, start = clock.at): Promise<void> => {
    const row = referenceRow(seeded(1), { start, session: "s", failed, latency: 1_000, cost: 0 });
    await workers.fold("shard", [rowRecord(project, randomUUID(), null, row)]);
  };
  /** A trace in each of the next windows, each of which is evaluated. */
  const windows = async (...failures: readonly boolean[]): Promise<void> => {
    for (const failed of failures) {
      await trace(failed);
      clock.at += 5 * minute;
      await workers.sweep();
    }
  };
  const change = (settings: Partial<AlertSettings>, rules = workers.rules) =>
    rules.change(
      project,
      rule.id,
      (before) => withAlertSettings(before, { ...before.settings, ...settings }, clock.at),
      (changed, transition) => alertEvent(changed, transition, clock.at),
    );
  const transitions = async () => (await workers.states.history(project, rule.id)).map(({ transition }) => transition);
  const isDue = async (): Promise<boolean> => {
    for await (const { id } of workers.states.due(clock.at)) if (id === rule.id) return true;
    return false;
  };
  /** Kinds of the events about the rule with the ends of their windows, in the order of these. */
  const announced = async () =>
    (await itemsNaming(database(), [rule.id]))
      .flatMap(({ table, item }) => (table === "runs" ? [unpackEvent(String(item["d"]))] : []))
      .map(({ kind, fields }) => [kind, String(fields["window_end"])] as const)
      .toSorted(([, a], [, b]) => (a < b ? -1 : 1));
  clock.at = rule.anchor + minute;
  return { project, clock, workers, rule, trace, windows, change, transitions, isDue, announced };
};

test("a rule of other filters begins new windows, in which nothing of the former ones counts, and clears its alert", async () => {
  const { clock, workers, rule, trace, windows, change, transitions } = await watched();
  await windows(true);
  await trace(true);
  expect(await transitions()).toEqual(["raised"]);

  const changed = await change({ filters: { status: "ERROR" } });
  if (changed === null) throw new Error("The rule does not exist.");
  expect([changed.generation, changed.anchor > clock.at]).toEqual([rule.generation + 1, true]);
  // A worker that still knows the former rule.
  await trace(true);
  clock.at = changed.anchor + minute;
  await trace(false);
  clock.at = changed.anchor + 6 * minute;
  await workers.sweep();
  expect(observationCount(await workers.sums.read(changed, changed.anchor + 5 * minute))).toBe(0);
  clock.at += 5 * minute;
  await workers.sweep();
  expect(await transitions()).toEqual(["cleared", "raised"]);
});

test("late traces of a window that has ended are evaluated at once, though their worker knows the window", async () => {
  const { clock, workers, trace, windows, transitions } = await watched();
  await windows(true, false, false);
  await trace(true, clock.at - 5 * minute);
  clock.at += minute;
  await workers.sweep();
  expect(await transitions()).toEqual(["raised", "cleared", "raised"]);
});

test("late traces of a window that settled its rule make it due again, though their worker knows the window", async () => {
  const { project, clock, workers, rule, trace, windows, isDue, transitions } = await watched();
  await windows(false);
  clock.at += 5 * minute;
  await workers.sweep();
  const [id, start] = [randomUUID(), clock.at];
  const row = referenceRow(seeded(1), { start, session: "s", failed: true, latency: 1_000, cost: 0 });
  await workers.fold("shard", [rowRecord(project, id, null, row), rowRecord(project, id, row, null)]);
  clock.at += 5 * minute;
  await workers.sweep();
  const isSettled = !(await isDue());

  await trace(true, start);
  clock.at += minute;
  await workers.sweep();
  expect([isSettled, await transitions()]).toEqual([true, ["raised"]]);
  expect(observationCount(await workers.sums.read(rule, rule.anchor + 15 * minute))).toBe(1);
});

test("a trace that matches a rule only after a change counts once, and no longer after the next change", async () => {
  const { project, workers, rule, clock } = await watched({ signal: "volume", filters: { status: "ERROR" } });
  const rowOf = (failed: boolean) =>
    referenceRow(seeded(1), { start: clock.at, session: "s", failed, latency: 1_000, cost: 0 });
  const [running, failed, id] = [rowOf(false), rowOf(true), randomUUID()];
  const steps = [
    [null, running],
    [running, failed],
    [failed, failed],
    [failed, running],
    [running, null],
  ] as const;
  const counts: number[] = [];
  for (const [before, after] of steps) {
    await workers.fold("shard", [rowRecord(project, id, before, after)]);
    counts.push(observationCount(await workers.sums.read(rule, rule.anchor + 5 * minute)));
  }
  expect(counts).toEqual([0, 1, 1, 0, 0]);
});

test("changes of a rule's state in one turn are announced one by one", async () => {
  const { clock, workers, rule, trace, transitions, announced } = await watched();
  for (let window = 0; window < 6; window += 1, clock.at += 5 * minute) await trace(window === 0 || window === 3);
  await workers.sweep();

  expect(await transitions()).toEqual(["cleared", "raised", "cleared", "raised"]);
  expect(await announced()).toEqual([
    ["alert.raised", instantAt(rule.anchor + 5 * minute)],
    ["alert.cleared", instantAt(rule.anchor + 15 * minute)],
    ["alert.raised", instantAt(rule.anchor + 20 * minute)],
    ["alert.cleared", instantAt(rule.anchor + 30 * minute)],
  ]);
});

test("a window that lacks data changes no state when it is read again, nor as last week's baseline", async () => {
  const day = 24 * 60 * minute;
  const [again, week] = [await watched(), await watched({ window: "24h", compare_with: "last_week" })];
  await again.workers.states.noteGaps(again.project, again.rule.id, new Set([again.rule.anchor + 5 * minute]));
  await again.windows(true, false, false);
  await week.workers.states.noteGaps(week.project, week.rule.id, new Set([week.rule.anchor + day]));
  const verdicts: unknown[] = [];
  for (let number = 1; number <= 9; number += 1, week.clock.at += day) {
    await week.trace(number >= 8, week.clock.at);
    week.clock.at += day;
    await week.workers.sweep();
    week.clock.at -= day;
    verdicts.push((await week.workers.states.get(week.project, week.rule.id))?.evaluation?.verdict);
  }

  expect(await again.transitions()).toEqual([]);
  expect(verdicts.slice(6)).toEqual(["cannot_tell", "cannot_tell", "alert"]);
  expect(await week.transitions()).toEqual(["raised"]);
});

test("a rule that a worker arms after its deletion is forgotten by its next evaluation, and announces nothing", async () => {
  const { project, clock, workers, rule, trace, isDue, announced } = await watched();
  await trace(false);
  await workers.rules.delete(project, rule.id, (changed, transition) => alertEvent(changed, transition, clock.at));
  await trace(true, clock.at + 5 * minute);
  clock.at += 10 * minute;
  const isArmed = await isDue();
  await workers.sweep();

  expect([isArmed, await isDue(), await workers.states.get(project, rule.id)]).toEqual([true, false, null]);
  expect(await announced()).toEqual([]);
});

test.each(["paused", "deleted"])("an alert that is raised while its rule is %s is cleared with it", async (how) => {
  const { project, clock, workers, rule, trace, change, announced } = await watched();
  await trace(true);
  clock.at += 5 * minute;
  const gate = pauseAt(({ operation }) => operation === "TransactWriteItems");
  const slow = alertRules(faultyDatabase(database(), gate.decide), () => clock.at);
  const changing =
    how === "paused"
      ? change({ enabled: false }, slow)
      : slow.delete(project, rule.id, (changed, transition) => alertEvent(changed, transition, clock.at));
  await gate.reached;
  await workers.sweep();
  gate.open();
  await changing;

  expect((await announced()).map(([kind]) => kind)).toEqual(["alert.raised", "alert.cleared"]);
  expect((await workers.states.get(project, rule.id))?.state.name).toBe(how === "paused" ? "NO_DATA" : undefined);
});

test("the state of a rule that cannot be read is kept, and that of a deleted one is not", async () => {
  const { project, clock, workers, rule, windows } = await watched();
  await windows(true);
  const items = itemsOf(database(), "monitors");
  const stored = await items.get(ruleKey(project, rule.id));
  const isKept = async (): Promise<boolean> => {
    clock.at += 5 * minute;
    await workers.sweep().catch(() => null);
    return (await workers.states.get(project, rule.id)) !== null;
  };

  await items.put({ ...stored, ...ruleKey(project, rule.id), d: "not a rule" });
  const [unread, deleted] = [await isKept(), await items.remove(ruleKey(project, rule.id)).then(isKept)];
  expect([unread, deleted]).toEqual([true, false]);
});

test("a new threshold is compared at once with the sums that are there", async () => {
  const { clock, workers, windows, change, transitions } = await watched({ threshold: 1 });
  await windows(true, true);
  expect(await transitions()).toEqual([]);

  const changed = await change({ threshold: 0.5 });
  clock.at += minute;
  await workers.sweep();
  expect([changed?.generation, await transitions()]).toEqual([1, ["raised"]]);
});

test("an evaluation that began before a change does not replace the state of the changed rule", async () => {
  const { project, clock, workers, rule, windows, change } = await watched();
  await windows(false);
  const stored = await workers.states.get(project, rule.id);
  if (stored === null) throw new Error("The rule has no state.");
  await change({ threshold: 0.5 });

  const options = { revision: stored.revision, nextEnd: clock.at, changes: [], events: [] };
  expect(await workers.states.put(project, rule.id, stored, options)).toBe(false);
});

test("an evaluation whose rule changes while it reads decides by the changed rule", async () => {
  const { clock, trace, change, transitions } = await watched();
  await trace(true);
  clock.at += 5 * minute;
  let reads = 0;
  const gate = pauseAt(({ operation }) => operation === "BatchGetItem" && (reads += 1) === 2);
  const evaluation = alertWorkers(faultyDatabase(database(), gate.decide), () => clock.at).sweep();
  await gate.reached;
  await change({ threshold: 1 });
  gate.open();
  await evaluation;
  expect(await transitions()).toEqual([]);
});

test("a paused rule counts nothing and is not due, and a resumed one begins anew", async () => {
  const { clock, workers, rule, trace, windows, change } = await watched();
  await windows(false);
  await change({ enabled: false });
  clock.at += 8 * minute;
  await workers.sweep();
  await trace(true);
  const due = [];
  for await (const { id } of workers.states.due(clock.at + 60 * minute)) due.push(id);
  expect(due).not.toContain(rule.id);

  const resumed = await change({ enabled: true });
  if (resumed === null) throw new Error("The rule does not exist.");
  clock.at = resumed.anchor + minute;
  await trace(true);
  expect(observationCount(await workers.sums.read(resumed, resumed.anchor + 5 * minute))).toBe(1);
});

test.each(["paused", "deleted"])("an alert whose rule is %s is cleared with the reason", async (how) => {
  const { project, clock, workers, rule, windows, change, transitions } = await watched();
  await windows(true);
  const reason = `The rule was ${how}.`;
  const event = alertEvent(
    rule,
    { transition: "cleared", end: clock.at, evaluation: { ...evaluate(rule.settings, noSums, null), reason } },
    clock.at,
  );
  const eventOf = (changed: AlertRule, transition: Transition) => alertEvent(changed, transition, clock.at);
  if (how === "paused") await change({ enabled: false });
  else await workers.rules.delete(project, rule.id, eventOf);

  const stored = await itemsOf(database(), "runs").get({ pk: `${project}#event#${event.id}`, sk: "event" });
  expect(unpackEvent(String(stored?.["d"]))).toMatchObject({ kind: "alert.cleared", fields: { reason, value: 1 } });
  expect(await transitions()).toEqual(how === "paused" ? ["cleared", "raised"] : []);
  expect((await workers.states.get(project, rule.id))?.state.name).toBe(how === "paused" ? "NO_DATA" : undefined);
});

test("a window whose sums cannot be added changes no state, and holds up neither the batch nor other rules", async () => {
  const { project, clock, workers, rule, trace, windows, transitions } = await watched();
  const other = await workers.rules.create(alertRuleOf(project, shown, begin));
  const unreadable = { ...ruleKey(project, randomUUID()), d: JSON.stringify({ signal: "of a later version" }) };
  await itemsOf(database(), "monitors").put(unreadable);
  await windows(true);
  const end = rule.anchor + 10 * minute;
  const broken = { pk: alertSumsPartition(project), sk: `${sumsPrefix(rule, end)}shard`, seq: "none" };
  await itemsOf(database(), "aggregates").put(broken);

  await trace(false);
  await trace(false);
  expect(observationCount(await workers.sums.read(other, end))).toBe(2);
  expect((await workers.states.get(project, rule.id))?.gaps).toEqual(new Set([end]));
  await itemsOf(database(), "aggregates").remove({ pk: broken.pk, sk: broken.sk });
  clock.at += 5 * minute;
  await workers.sweep();
  const { state, evaluation } = (await workers.states.get(project, rule.id)) ?? {};
  expect([state?.name, state?.calm, evaluation?.verdict]).toEqual(["ALERT", 0, "cannot_tell"]);

  await windows(false);
  expect(await transitions()).toEqual(["raised"]);
  await windows(false);
  expect(await transitions()).toEqual(["cleared", "raised"]);
});

test("a trace in the future does not hold up the windows before it, and its own window is evaluated", async () => {
  const { clock, workers, rule, trace, transitions } = await watched();
  clock.at = rule.anchor + 60 * minute;
  await workers.sweep();
  clock.at += 5 * minute;
  await workers.sweep();
  const now = clock.at;
  clock.at = now + 62 * minute;
  await trace(false);
  clock.at = now + minute;
  await trace(true);
  await trace(false, now + 67 * minute);

  clock.at += 5 * minute;
  await workers.sweep();
  expect(await transitions()).toEqual(["raised"]);
  for (; clock.at < now + 70 * minute; clock.at += minute) await workers.sweep();
  expect(await transitions()).toEqual(["cleared", "raised"]);
  const state = (await workers.states.get(rule.projectId, rule.id))?.state;
  expect((state?.windowEnd ?? 0) - rule.anchor).toBe(130 * minute);
});

test("windows of hours without evaluations are evaluated in turns, and an alert in them is raised and cleared once", async () => {
  const { project, clock, workers, rule, trace } = await watched();
  for (let window = 0; window < 40; window += 1, clock.at += 5 * minute) await trace(window === 14 || window === 15);
  for (let turn = 0; turn < 4; turn += 1) await workers.sweep();

  const history = await workers.states.history(project, rule.id);
  expect(history.map(({ transition, end }) => [transition, (end - rule.anchor) / minute])).toEqual([
    ["cleared", 90],
    ["raised", 75],
  ]);
  expect((await workers.states.get(project, rule.id))?.state.windowEnd).toBe(rule.anchor + 200 * minute);
});

test("a window after a day without data is evaluated with the first turn", async () => {
  const { clock, workers, windows, transitions } = await watched();
  await windows(false, true);
  clock.at += 24 * 60 * minute;
  await workers.sweep();
  await windows(true);
  expect(await transitions()).toEqual(["raised", "cleared", "raised"]);
});
