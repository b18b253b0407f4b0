import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { anchorOf, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { Monitor } from "../../../lib/domain/monitors/monitor.ts";
import { thresholdEvent } from "../../../lib/evaluation/slices/threshold-event.ts";
import { eventAnnouncer } from "../../../lib/events/announce.ts";
import { followOutbox } from "../../../lib/events/follow-outbox.ts";
import type { ServiceEvent } from "../../../lib/events/service-event.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { evaluateAlerts } from "../../../lib/maintenance/evaluate-alerts.ts";
import { monitorFiring } from "../../../lib/monitors/fire.ts";
import { alertRules } from "../../../lib/store/alerts/rules.ts";
import { alertStateStore } from "../../../lib/store/alerts/states.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { runFilters } from "../../../lib/stream/run-counts.ts";
import { firingPartsOn } from "../../faults/monitors/firing-parts.ts";
import { someAlertSettings } from "../../support/alerts/workers.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream, type TableStream } from "../../support/database/table-stream.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";
import { sliceWorker } from "../runs/slice-worker.ts";

let database: TestDatabase;
let stream: TableStream;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  stream = await tableStream(database, "runs");
});
afterAll(() => database.close());

const organization = randomUUID();
const [minute, start] = [60_000, Date.parse("2026-11-21T09:00:00Z")];

/** Follows records of the runs' stream with a bus that refuses the last event of its first calls. */
const follow = async (records: readonly DynamoDBRecord[], refusals = 0): Promise<readonly ServiceEvent[]> => {
  const accepted: ServiceEvent[] = [];
  let calls = 0;
  const put = async (events: readonly ServiceEvent[]): Promise<readonly (string | null)[]> => {
    calls += 1;
    const codes = events.map((_, index) => (calls <= refusals && index === events.length - 1 ? "Throttled" : null));
    accepted.push(...events.filter((_, index) => codes[index] === null));
    return codes;
  };
  const source = { stage: "blue", serviceUrl: "https://assay.example.com" };
  const announce = eventAnnouncer({ ...source, organizationOf: async () => organization, bus: { put } });
  const handle = followOutbox(runStore(database), announce);
  for (let attempt = 0; attempt < refusals; attempt += 1) await expect(handle(records)).rejects.toThrow("Throttled");
  await handle(records);
  return accepted;
};

const monitorWith = async (settings: Parameters<typeof someMonitor>[1]): Promise<Monitor> =>
  (
    await monitorStore(database, () => start).create(
      someMonitor(randomUUID(), { cadence: everyMinute, ...settings }, start),
    )
  ).monitor;

/** Fires the first instant of a monitor. @param matching finds its targets. */
const fire = async (
  { projectId, id, generation, nextRunAt }: Monitor,
  matching: Parameters<typeof firingPartsOn>[1],
): Promise<void> => {
  const clock = { now: () => start + 2 * minute };
  const message = { project: projectId, monitor: id, generation, scheduledAt: nextRunAt ?? 0 };
  const { fire: deliver } = monitorFiring(firingPartsOn(database, matching, clock));
  await deliver(message);
  // Delivered twice.
  await deliver(message);
};

const target = { id: randomUUID(), changedAt: start - 10 * minute, traces: 1 };

/** Evaluates a rule about errors over windows, one after another. @param failed number of failed traces of each, out of ten. */
const watch = async (failed: readonly number[]): Promise<void> => {
  const clock = { at: start };
  const now = () => clock.at;
  const [rules, states] = [alertRules(database, now), alertStateStore(database, now)];
  const rule: AlertRule = {
    id: randomUUID(),
    projectId: randomUUID(),
    settings: someAlertSettings({
      name: "errors",
      window: "5m",
      threshold: 0.2,
      minimum_count: 5,
      significance: false,
      severity: "critical",
    }),
    generation: 1,
    anchor: anchorOf(start),
    createdAt: instantAt(start),
    updatedAt: instantAt(start),
  };
  await rules.create(rule);
  // The database also has rules of other tests.
  const due: typeof states.due = async function* (at) {
    for await (const each of states.due(at)) if (each.id === rule.id) yield each;
  };
  const sumsAt = (end: number) => {
    const sum = failed[(end - rule.anchor) / (5 * minute) - 1];
    return { groups: new Map(sum === undefined ? [] : [[0, { count: 10, sum }]]), latencies: [] };
  };
  const firstEnd = async () => null;
  const firstWindow = async () => null;
  const unreadScores = async () => ({ events: [], unread: new Set<string>() });
  const readAll = async (_: AlertRule, ends: readonly number[]) => new Map(ends.map((end) => [end, sumsAt(end)]));
  for (let window = 1; window <= failed.length; window += 1) {
    clock.at = rule.anchor + window * 5 * minute + minute;
    await evaluateAlerts(
      { rules, states: { ...states, due }, sums: { readAll, firstEnd }, firstWindow, unreadScores, now },
      minute,
    );
  }
};

/** Lets a run wait for a judge that never answers. */
const waitForJudge = async (minutes: number): Promise<void> => {
  const run = await storedRun(database, 2, ["a"]);
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: () => ({
      score: async () => ({
        kind: "deferred",
        code: "judge_unavailable",
        reason: "The provider is away.",
        retryAfter: null,
        metadata: {},
      }),
    }),
  };
  const begin = Date.now();
  const message = { project: run.order.projectId, run: run.order.id, slice: run.slices[0] ?? "" };
  for (let at = begin; at < begin + minutes * minute;) {
    const now = () => at;
    const evaluate = sliceWorker(database, judge, now);
    const result = await evaluate(message, at + 175_000);
    if (!("at" in result)) return;
    ({ at } = result);
  }
};

/** Makes reservations in a month of its own, each of a tenth of the deployment's ceiling, by workers that start anew. */
let months = 0;
const reserve = async (tenths: number): Promise<void> => {
  const at = Date.UTC(2027, ++months, 21);
  for (let slice = 0; slice < tenths; slice += 1)
    await spendStore(database, () => at, Math.random, undefined, thresholdEvent).reserve({
      project: randomUUID(),
      run: randomUUID(),
      slice: "a#1",
      epoch: 1,
      spent: 0,
      maxUsd: 1,
      minUsd: 1,
      ceilings: { run: null, project: null, organization: null, deployment: 10 },
    });
};

const endRun = async (values: readonly (number | null)[]): Promise<void> => {
  const run = await storedRun(database, values.length, ["a"]);
  const slice = await run.claim(0);
  const pairs = await Promise.all(values.map((value, pair) => run.judged(slice, pair, value)));
  await settling(database).commit(slice, 1, pairs);
};

const decisions: readonly [expected: readonly string[], decide: () => Promise<void>][] = [
  [["run.completed"], () => endRun([0.5, null])],
  [["run.failed"], () => endRun([null])],
  [
    ["run.completed"],
    async () => {
      const order = someOrder({ total: 0 });
      await runCreation(database)(order, []);
      const stored = await runStore(database).read(order.projectId, order.id);
      if (stored !== null) await runStore(database).endEmpty(stored);
    },
  ],
  [["monitor.fired"], async () => fire(await monitorWith({}), async () => [target])],
  [
    ["monitor.fired", "monitor.skipped"],
    async () => {
      const monitor = await monitorWith({ only_if_changed: true });
      await fire(monitor, async () => [target]);
      const next = await monitorStore(database).get(monitor.projectId, monitor.id);
      if (next !== null) await fire(next.monitor, async () => [target]);
    },
  ],
  [
    ["monitor.failed"],
    async () => {
      const monitor = await monitorWith({});
      const away = async () => Promise.reject(new Error("away"));
      for (let attempt = 0; attempt < 4; attempt += 1) await fire(monitor, away).catch(() => undefined);
    },
  ],
  [["alert.raised"], () => watch([0, 5])],
  [["alert.raised", "alert.cleared"], () => watch([5, 5, 0, 0, 0])],
  [[], () => watch([0, 0, 0])],
  [[], () => waitForJudge(14)],
  [["judge.unavailable"], () => waitForJudge(90)],
  [["spend.threshold_reached 50"], () => reserve(7)],
  [["spend.threshold_reached 50", "spend.threshold_reached 80"], () => reserve(9)],
  [["spend.threshold_reached 50", "spend.threshold_reached 80", "spend.threshold_reached 100"], () => reserve(15)],
];

const nameOf = ({ detailType, detail: { percent } }: ServiceEvent): string =>
  percent === undefined ? detailType : `${detailType} ${JSON.stringify(percent)}`;

test.each(decisions)(
  "%j: announced once, and again with the same ids when the batch fails",
  async (expected, decide) => {
    await stream();
    await decide();
    const records = (await stream()).filter((record) => passesFilters(record, runFilters));

    const events = await follow(records);
    const repeated = await follow(records, expected.length === 0 ? 0 : 2);

    expect(events.map(nameOf)).toEqual(expected);
    expect(new Set(events.map(({ detail }) => detail["id"])).size).toBe(expected.length);
    expect(repeated).toHaveLength(expected.length === 0 ? 0 : 3 * expected.length - 2);
    for (const event of repeated) expect(events).toContainEqual(event);
    for (const { detail } of events)
      expect(detail).toMatchObject({ version: 1, stage: "blue", organization_id: organization });
  },
);
