import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { windowLength, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { stateKey } from "../../../lib/store/alerts/keys.ts";
import { compiledRules } from "../../../lib/store/alerts/matching-rules.ts";
import { windowGraceMilliseconds } from "../../../lib/store/alerts/states.ts";
import { alertSums } from "../../../lib/store/alerts/sums.ts";
import { foldTraceAlerts } from "../../../lib/stream/alert-changes.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { alertTimeline, type LongTrace } from "../../support/alerts/timeline.ts";
import { referenceRow, rowRecord, type alertWorkers } from "../../support/alerts/workers.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { seeded } from "../../support/random.ts";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const database = quietDatabase();

/** A trace that starts in a window of five minutes and fails minutes later. */
const failure = (window: number, minutes: number): LongTrace => ({
  start: (window - 0.5) * 5 * minute,
  length: minutes * minute,
  failed: true,
});

/** Folds a failed trace that started in a window. */
const lateTrace = async (
  { fold }: ReturnType<typeof alertWorkers>,
  { anchor, projectId, settings }: AlertRule,
  window: number,
): Promise<void> => {
  const start = anchor + (window - 0.5) * windowLength(settings.window);
  const row = referenceRow(seeded(1), { start, session: "late", failed: true, latency: 1, cost: 0 });
  await fold("shard", [rowRecord(projectId, randomUUID(), null, row)]);
};

test("a window that was an alert raises no second one, though more data arrive after that was cleared", async () => {
  const { pass, stored, changesOf } = await alertTimeline(database(), { threshold: 0.3 }, [
    failure(1, 1),
    failure(2, 1),
    ...[60, 90].flatMap((minutes) => [failure(1, minutes), failure(2, minutes)]),
  ]);
  for (let at = 0; at < 120; at += 5) await pass(5 * minute);

  expect(await changesOf()).toEqual([
    ["raised", 1, false],
    ["cleared", 4, undefined],
  ]);
  expect((await stored()).late.size).toBe(0);
});

test("late failures of two windows, told within one window without data, are one alert that is cleared", async () => {
  const { pass, changesOf } = await alertTimeline(database(), { threshold: 0.3 }, [failure(1, 60), failure(2, 56.5)]);
  await pass(60 * minute);
  for (let at = 0; at < 25; at += 1) await pass(minute);

  expect(await changesOf()).toEqual([
    ["raised", 1, true],
    ["cleared", expect.any(Number), undefined],
  ]);
});

test("windows that a rule without data catches up with say that they are late, and the times of their events order them", async () => {
  const windows = Array.from({ length: 10 }, (_, at) => 2 + 4 * at);
  const { pass, stored, announced } = await alertTimeline(
    database(),
    { threshold: 0.3 },
    windows.map((window) => failure(window, 300 - (window - 0.5) * 5)),
  );
  await pass(300 * minute);
  for (let at = 0; at < 25; at += 1) await pass(minute);

  const events = (await announced()).map(({ event }) => event);
  // Those of the first turn are one alert: a window that is evaluated again clears none.
  const raised = events.filter(({ kind }) => kind === "alert.raised");
  const times = events.map(({ time }) => time);
  expect(raised.map(({ fields }) => fields["late"])).toEqual(Array.from({ length: 7 }, () => true));
  expect(times).toEqual([...new Set(times)].toSorted());
  expect((await stored()).late.size).toBe(0);
});

test("a window is evaluated again when the one that it is compared with changes late", async () => {
  const settings = { signal: "volume", compare_with: "previous_window", threshold: 0.5 } as const;
  const { rule, clock, workers, pass, changesOf } = await alertTimeline(
    database(),
    settings,
    [1, 1, 2, 2, 3, 3].map((window) => failure(window, 0)),
  );
  for (let at = 0; at < 3; at += 1) await pass(5 * minute);
  for (let count = 0; count < 4; count += 1) await lateTrace(workers, rule, 1);
  clock.at += windowGraceMilliseconds;
  await workers.sweep();

  expect(await changesOf()).toEqual([["raised", 2, true]]);
});

test("more windows change late than are evaluated in one turn, and none is forgotten", async () => {
  const { clock, pass, workers, stored, alertWindows } = await alertTimeline(
    database(),
    { threshold: 0.3 },
    Array.from({ length: 130 }, (_, index) => failure(index + 1, 700 - 5 * index)),
  );
  for (let at = 0; at < 130; at += 10) await pass(50 * minute - windowGraceMilliseconds);
  await pass(60 * minute);
  expect((await stored()).late.size).toBeGreaterThan(0);
  clock.at += minute;
  await workers.sweep();
  expect([(await stored()).late.size, (await alertWindows()).length]).toEqual([0, 130]);
});

test("a late window is not compared with one of last week whose sums may be gone", async () => {
  const settings = { window: "24h", signal: "volume", compare_with: "last_week", threshold: 0.5 } as const;
  const weekly = Array.from({ length: 20 }, (_, index) => ({
    start: (index < 4 ? 0 : 7) * day + index,
    length: 1,
    failed: false,
  }));
  const arriving = async (age: number) => {
    const { clock, rule, pass, workers, changesOf } = await alertTimeline(database(), settings, weekly.slice(0, 8));
    for (let at = 0; at < 9; at += 1) await pass(day - windowGraceMilliseconds);
    clock.at = rule.anchor + 8 * day + age;
    for (let count = 0; count < 4; count += 1) await lateTrace(workers, rule, 8);
    clock.at += minute;
    await workers.sweep();
    return (await changesOf()).map(([transition, window]) => [transition, window]);
  };

  expect(await arriving(23 * hour)).toContainEqual(["raised", 8]);
  expect(await arriving(25 * hour)).toEqual([]);
});

test("a change that leaves the sums as they are makes no rule due, unless its worker may have died before it did", async () => {
  const { rule, clock, workers, pass, stored } = await alertTimeline(database(), { signal: "volume", threshold: 0 }, [
    failure(1, 0),
  ]);
  await pass(5 * minute);
  await pass(5 * minute);
  const row = referenceRow(seeded(1), {
    start: rule.anchor + minute,
    session: "s",
    failed: false,
    latency: 1,
    cost: 0,
  });
  const [id, revision] = [randomUUID(), (await stored()).revision];
  const [added, tagged] = [
    rowRecord(rule.projectId, id, null, row),
    rowRecord(rule.projectId, id, row, { ...row, tags: ["a"] }),
  ];
  await workers.fold("shard", [rowRecord(rule.projectId, id, row, { ...row, tags: ["b"] })]);
  expect((await stored()).revision).toBe(revision);

  const dying = {
    ...workers.states,
    arm: () => Promise.reject(new Error("killed")),
    noteGaps: () => Promise.resolve(),
  };
  const sums = alertSums(database(), dying, () => clock.at);
  await foldTraceAlerts({ rulesOf: compiledRules(database(), () => clock.at), sums, living: withoutDeletions })(
    "shard",
    [added],
  );
  expect([...(await stored()).late]).toEqual([]);
  await workers.fold("shard", [added, tagged]);
  expect([...(await stored()).late]).toEqual([rule.anchor + 5 * minute]);
});

test("windows that an earlier version evaluated raise no late alert, but the last one may", async () => {
  const { rule, clock, workers, pass, changesOf } = await alertTimeline(
    database(),
    { threshold: 0.3 },
    [1, 2, 3].map((window) => ({ start: (window - 0.5) * 5 * minute, length: minute, failed: false })),
  );
  for (let at = 0; at < 3; at += 1) await pass(5 * minute);
  await itemsOf(database(), "monitors").update(stateKey(rule.projectId, rule.id), "REMOVE alerts ADD rev :one", {
    values: { ":one": 1 },
  });
  const late = async (window: number) => {
    await lateTrace(workers, rule, window);
    clock.at += windowGraceMilliseconds;
    await workers.sweep();
    return await changesOf();
  };

  expect(await late(1)).toEqual([]);
  expect(await late(3)).toEqual([["raised", 3, true]]);
});
