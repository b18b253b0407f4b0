import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import type { AlertSettings } from "../../../lib/domain/alerts/fields.ts";
import { windowLength, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { sumsOf } from "../../../lib/domain/alerts/sums.ts";
import { firstState } from "../../../lib/domain/alerts/state.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import { evaluateAlerts } from "../../../lib/maintenance/evaluate-alerts.ts";
import {
  referenceTests,
  referenceTransitions,
  type ReferenceTest,
  type ReferenceTrace,
} from "../../support/alerts/reference.ts";
import { alertRuleOf, alertWorkers, referenceRow, rowRecord, someAlertSettings } from "../../support/alerts/workers.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { seeded, type Random } from "../../support/random.ts";

const seed = Number(process.env["ALERTS_SEED"] ?? 20_261);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const begin = Date.parse("2026-11-09T10:20:30Z");

const database = quietDatabase();

/** Sessions each in a group of its own, so that groups and sessions are the same clusters. */
const sessions = [...Array(400).keys()]
  .map((number) => `session ${number}`)
  .filter((name, index, all) => {
    const group = (cluster: string) => [...sumsOf(someAlertSettings({}), { cluster, value: 0 }).groups.keys()][0];
    return all.findIndex((other) => group(other) === group(name)) === index;
  });

/** A week of traces with hours of errors, of slow and of dear traces, and of silence. */
const generateWeek = (random: Random): readonly ReferenceTrace[] => {
  const traces: ReferenceTrace[] = [];
  for (let at = begin; at < begin + 7 * day;) {
    const age = (at - begin) / day;
    at += Math.ceil(-Math.log(1 - random.next()) * 4 * minute);
    if (age > 4.1 && age < 4.6) continue;
    traces.push({
      start: at,
      session: sessions[random.below(sessions.length)] ?? "",
      failed: random.chance(age > 1.3 && age < 2.2 ? 0.4 : 0.05),
      latency: Math.round((age > 3 && age < 3.3 ? 6_000 : 1_000) * (0.5 + random.next())),
      cost: age > 5.5 && age < 5.8 ? 0.1 : 0.005,
    });
  }
  return traces;
};

const cases: Readonly<Record<keyof typeof referenceTests, Partial<AlertSettings>>> = {
  moreErrors: { compare_with: "previous_window" },
  slowMedian: { window: "1h", signal: "latency_p50", threshold: 3_000, significance: false },
  costly: { window: "1h", signal: "cost", threshold: 1, minimum_count: 0 },
  silent: { window: "1h", signal: "error_rate", threshold: 1, minimum_count: 1, no_data: "alert" },
};

test(
  `a week of history gives the same transitions as an independent evaluation (seed ${seed})`,
  { timeout: 600_000 },
  async () => {
    const random = seeded(seed);
    const [project, clock] = [randomUUID(), { at: begin }];
    const workers = alertWorkers(database(), () => clock.at);
    const rules = new Map<keyof typeof referenceTests, AlertRule>();
    for (const name of Object.keys(cases) as (keyof typeof cases)[])
      rules.set(name, await workers.rules.create(alertRuleOf(project, cases[name], begin)));

    const traces = generateWeek(random);
    const stored = new Map<string, TraceRow>();
    let next = 0;
    let previous: readonly DynamoDBRecord[] = [];
    for (clock.at = begin; clock.at < begin + 7 * day + hour; clock.at += 20 * minute) {
      const records: DynamoDBRecord[] = [];
      for (; (traces[next]?.start ?? Infinity) <= clock.at; next += 1) {
        const [id, trace] = [randomUUID(), traces[next]];
        if (trace === undefined) break;
        const final = { ...referenceRow(random, trace), traceId: id };
        // A third of the traces arrives in two steps, and some appear and are deleted.
        const first = random.chance(0.33)
          ? { ...final, status: "RUNNING" as const, endedAt: null, totalCost: 0 }
          : null;
        if (first !== null) records.push(rowRecord(project, id, null, first));
        records.push(rowRecord(project, id, first, final));
        stored.set(id, final);
        if (!random.chance(0.1)) continue;
        const gone = { ...final, traceId: randomUUID(), status: "ERROR" as const };
        records.push(rowRecord(project, gone.traceId, null, gone), rowRecord(project, gone.traceId, gone, null));
      }
      // A batch is delivered again in part, or by another worker.
      if (records.length > 0) {
        await workers.fold("shard", [...previous, ...records]);
        if (random.chance(0.2)) await alertWorkers(database(), () => clock.at).fold("shard", records);
        previous = records;
      }
      await workers.sweep();
    }

    for (const [name, rule] of rules) {
      const length = windowLength(rule.settings.window);
      const count = Math.floor((begin + 7 * day - rule.anchor) / length);
      const evaluation: ReferenceTest = referenceTests[name];
      const expected = referenceTransitions(
        traces.filter(({ start }) => start >= rule.anchor),
        {
          // The window before the rule was made is evaluated too.
          first: rule.anchor - length,
          length,
          count: count + 1,
          test: evaluation,
        },
      );
      const history = await workers.states.history(project, rule.id);
      const actual = history
        .filter(({ end }) => end <= rule.anchor + count * length)
        .map(({ transition, end }) => ({ transition, end }))
        .toReversed();

      expect(expected.length).toBeGreaterThanOrEqual(2);
      expect({ name, transitions: actual }).toEqual({ name, transitions: expected });
    }
  },
);

test("an idle rule is not due after its windows without data, and becomes due by a trace", async () => {
  const [project, clock] = [randomUUID(), { at: begin }];
  const workers = alertWorkers(database(), () => clock.at);
  const rule = await workers.rules.create(alertRuleOf(project, { window: "5m" }, begin));
  const isDue = async (): Promise<boolean> => {
    for await (const { id } of workers.states.due(clock.at)) if (id === rule.id) return true;
    return false;
  };
  const dueMinutes = async (minutes: number): Promise<number> => {
    let due = 0;
    for (const end = clock.at + minutes * minute; clock.at < end; clock.at += minute) {
      if (await isDue()) due += 1;
      await workers.sweep();
    }
    return due;
  };

  expect(await dueMinutes(60)).toBe(1);

  const trace = { start: clock.at, session: "session", failed: true, latency: 1_000, cost: 0 };
  await workers.fold("shard", [rowRecord(project, randomUUID(), null, referenceRow(seeded(seed), trace))]);

  // The window of the trace, the one after it (its state has changed to NO_DATA before), and none later.
  expect(await dueMinutes(60)).toBeLessThanOrEqual(3);
  expect(await dueMinutes(60)).toBe(0);
});

test("evaluations that run at the same time, are late or die store each change once", async () => {
  const [project, clock] = [randomUUID(), { at: begin }];
  const workers = alertWorkers(database(), () => clock.at);
  const rule = await workers.rules.create(
    alertRuleOf(project, { window: "5m", significance: false, minimum_count: 1 }, begin),
  );
  clock.at = rule.anchor + minute;
  const trace = { start: clock.at, session: "session", failed: true, latency: 1_000, cost: 0 };
  await workers.fold("shard", [rowRecord(project, randomUUID(), null, referenceRow(seeded(seed), trace))]);
  clock.at = rule.anchor + 6 * minute;

  const dying = { ...workers.states, put: () => Promise.reject(new Error("killed")) };
  const parts = { ...workers, now: () => clock.at };
  await expect(evaluateAlerts({ ...parts, states: dying }, minute)).rejects.toThrow("could not be evaluated");
  await Promise.allSettled([1, 2, 3, 4].map(() => alertWorkers(database(), () => clock.at).sweep()));
  for (let windows = 0; windows < 4; windows += 1) {
    clock.at += 5 * minute;
    await workers.sweep();
  }

  const before = await workers.states.get(project, rule.id);
  await workers.states.arm(project, rule.id, clock.at);
  const stale = { revision: before?.revision ?? 0, nextEnd: null, changes: [], events: [] };
  expect(await workers.states.put(project, rule.id, { state: firstState, evaluation: null }, stale)).toBe(false);

  const history = await workers.states.history(project, rule.id);
  expect(history.map(({ transition, end }) => [transition, (end - rule.anchor) / minute])).toEqual([
    ["cleared", 15],
    ["raised", 5],
  ]);
  expect(history[1]?.evaluation).toMatchObject({ verdict: "alert", value: 1, reference: 0.02, count: 1 });
});
