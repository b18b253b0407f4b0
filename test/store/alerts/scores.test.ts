import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import type { AlertSignal } from "../../../lib/domain/alerts/fields.ts";
import type { AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { observationCount, totalOf } from "../../../lib/domain/alerts/sums.ts";
import { traceFilter, type TraceFilters } from "../../../lib/domain/traces/filter.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { scoreMatchKey } from "../../../lib/store/alerts/keys.ts";
import { withPartition } from "../../../lib/store/traces/keys.ts";
import { scoreMatches } from "../../../lib/store/alerts/score-matches.ts";
import { alertRules } from "../../../lib/store/alerts/rules.ts";
import { alertStateStore } from "../../../lib/store/alerts/states.ts";
import { alertSums } from "../../../lib/store/alerts/sums.ts";
import { unreadScoreReader } from "../../../lib/store/alerts/unread-scores.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { lowScoreEvent, unreadScoreEvents } from "../../../lib/events/low-score.ts";
import { evaluateAlerts } from "../../../lib/maintenance/evaluate-alerts.ts";
import { foldScoreAlerts, type LowScore } from "../../../lib/stream/alert-changes.ts";
import { someAlertSettings } from "../../support/alerts/workers.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { seeded } from "../../support/random.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { someScore } from "../scores/score-fixture.ts";

const database = quietDatabase();
const begin = Date.parse("2026-11-21T09:00:00Z");
const now = (): number => begin + 60_000;

const ruleOf = (projectId: string, signal: AlertSignal, filters: JsonObject): AlertRule => ({
  id: randomUUID(),
  projectId,
  settings: someAlertSettings({
    filters,
    signal,
    metric_name: "helpful",
    category: "rude",
    window: "5m",
    threshold: 0.7,
    minimum_count: 1,
    severity: "info",
  }),
  generation: 1,
  anchor: begin,
  createdAt: instantAt(begin),
  updatedAt: instantAt(begin),
});

const noPostponement = async (): Promise<void> => undefined;

let sequence = 0;

const recordOf = (
  before: string | null,
  after: string | null,
  fields: Parameters<typeof someScore>[0],
): DynamoDBRecord => {
  const imageOf = (value: string) => {
    const [item] = scoreItems(someScore({ ...fields, value }), {
      incarnation: withPartition("i", fields.trace_partition ?? 0),
      expiresAt: null,
    });
    const { n, st, order_key, x, cat, d } = item;
    const text = { n: { S: n }, st: { S: st }, order_key: { S: order_key }, d: { B: d.toString("base64") } };
    return { ...text, ...(x !== undefined && { x: { S: x } }), ...(cat !== undefined && { cat: { S: cat } }) };
  };
  sequence += 1;
  return {
    dynamodb: {
      Keys: { pk: { S: `${fields.project_id ?? ""}#score#${fields.id ?? ""}` }, sk: { S: "score" } },
      SequenceNumber: String(sequence),
      ...(before !== null && { OldImage: imageOf(before) }),
      ...(after !== null && { NewImage: imageOf(after) }),
    },
  };
};

test("a score counts in the window of its creation, edits and deletions change the sums, and filters read its trace", async () => {
  const project = randomUUID();
  const [all, quiet, staging] = [
    ruleOf(project, "score_mean", {}),
    ruleOf(project, "score_below", {}),
    ruleOf(project, "score_mean", { environment: "staging" }),
  ];
  const low = { ...quiet, settings: { ...quiet.settings, announce_scores: true } };
  const events: ReturnType<typeof lowScoreEvent>[] = [];
  const sums = alertSums(database(), alertStateStore(database(), now), now);
  const staged = randomUUID();
  const fold = foldScoreAlerts({
    rulesOf: async () =>
      [all, low, staging].map((rule) => ({ rule, filter: traceFilter<TraceFilters>(rule.settings.filters) })),
    sums,
    living: withoutDeletions,
    matches: scoreMatches(database()),
    postpone: noPostponement,
    announce: async (scores) => void events.push(...scores.map(lowScoreEvent)),
    rowOf: async (_project, trace) => ({
      ...generateRow(seeded(1), begin),
      latency: null,
      environment: trace === staged ? "staging" : "production",
    }),
  });
  const score = (trace_id: string, minute: number) => ({
    id: randomUUID(),
    project_id: project,
    trace_id,
    trace_started_at: instantAt(begin),
    name: "helpful",
    created_at: instantAt(begin + minute * 60_000),
  });
  const [first, second, third] = [score(staged, 1), score(randomUUID(), 2), score(randomUUID(), 6)];
  const records = [
    recordOf(null, "0.2", first),
    recordOf(null, "0.9", second),
    recordOf(null, "0.8", third),
    recordOf("0.2", "0.6", first),
    recordOf(null, "1", { ...second, id: randomUUID(), name: "other" }),
    recordOf("0.9", null, second),
  ];
  await fold("shard", records);
  await fold("shard", records);

  const totals = await Promise.all(
    [all, low, staging].flatMap((rule) =>
      [5, 10].map(async (minutes) => {
        const window = await sums.read(rule, begin + minutes * 60_000);
        return [observationCount(window), Number(totalOf(window).toFixed(9))];
      }),
    ),
  );
  expect(totals).toEqual([
    [1, 0.6],
    [1, 0.8],
    [1, 0],
    [1, 0],
    [1, 0.6],
    [0, 0],
  ]);
  // Once in each delivery, with the same id, and not for the edit that brought it above the value.
  expect(events.map(({ kind, fields }) => [kind, fields["score_id"], fields["value"], fields["below"]])).toEqual([
    ["score.below_threshold", first.id, 0.2, 0.5],
    ["score.below_threshold", first.id, 0.2, 0.5],
  ]);
  expect(events[0]?.id).toBe(events[1]?.id);
});

test("a score whose trace cannot be read is a gap in the rules with trace filters, and counts in the others", async () => {
  const project = randomUUID();
  const rules = [ruleOf(project, "score_mean", {}), ruleOf(project, "score_mean", { environment: "staging" })];
  const states = alertStateStore(database(), now);
  const sums = alertSums(database(), states, now);
  const fold = foldScoreAlerts({
    rulesOf: async () => rules.map((rule) => ({ rule, filter: traceFilter<TraceFilters>(rule.settings.filters) })),
    sums,
    living: withoutDeletions,
    matches: scoreMatches(database()),
    postpone: noPostponement,
    rowOf: () => Promise.reject(new Error("throttled")),
    announce: async () => undefined,
  });
  const fields = { id: randomUUID(), project_id: project, trace_id: randomUUID(), name: "helpful" };
  const times = { trace_started_at: instantAt(begin), created_at: instantAt(begin + 60_000) };
  await fold("shard", [recordOf(null, "0.2", { ...fields, ...times })]);

  const end = begin + 5 * 60_000;
  const counts = await Promise.all(rules.map(async (rule) => observationCount(await sums.read(rule, end))));
  const gaps = await Promise.all(rules.map(async ({ id }) => Array.from((await states.get(project, id))?.gaps ?? [])));
  expect({ counts, gaps }).toEqual({ counts: [1, 0], gaps: [[], [end]] });
});

test("shares of categories count scores that are categories, apply and succeeded", async () => {
  const project = randomUUID();
  const rules = (["score_is", "score_is_not"] as const).map((signal) => ruleOf(project, signal, {}));
  const sums = alertSums(database(), alertStateStore(database(), now), now);
  const fold = foldScoreAlerts({
    rulesOf: async () => rules.map((rule) => ({ rule, filter: traceFilter<TraceFilters>({}) })),
    sums,
    living: withoutDeletions,
    rowOf: async () => null,
    matches: scoreMatches(database()),
    postpone: async () => undefined,
    announce: async () => undefined,
  });
  const score = (changes: Partial<Parameters<typeof someScore>[0]>) => ({
    id: randomUUID(),
    project_id: project,
    trace_id: randomUUID(),
    name: "helpful",
    data_type: "CATEGORICAL" as const,
    created_at: instantAt(begin + 60_000),
    ...changes,
  });
  const edited = score({});
  await fold("shard", [
    recordOf(null, "rude", score({})),
    recordOf(null, "kind", score({})),
    recordOf(null, "rude", score({ applicable: false })),
    recordOf(null, "rude", score({ status: "FAILED" })),
    recordOf(null, "0.5", score({ data_type: "NUMERIC" })),
    recordOf(null, "kind", edited),
    recordOf("kind", "rude", edited),
  ]);

  const windows = await Promise.all(rules.map((rule) => sums.read(rule, begin + 5 * 60_000)));
  expect(windows.map((window) => [observationCount(window), totalOf(window)])).toEqual([
    [3, 2],
    [3, 1],
  ]);
});

/** Folds changes of a score of a trace, whose environment may change, for a rule about traces in staging. */
const stagingRule = () => {
  const project = randomUUID();
  const rule = ruleOf(project, "score_below", { environment: "staging" });
  const announcing: AlertRule = { ...rule, settings: { ...rule.settings, announce_scores: true } };
  const states = alertStateStore(database(), now);
  const [sums, matches] = [alertSums(database(), states, now), scoreMatches(database())];
  const trace: { environment: string | null } = { environment: "staging" };
  const rowOf = async () => {
    if (trace.environment === "unreadable") throw new Error("throttled");
    const row = { ...generateRow(seeded(1), begin), latency: null };
    return trace.environment === null ? null : { ...row, environment: trace.environment };
  };
  const events: string[] = [];
  const parts = {
    rulesOf: async () => [{ rule: announcing, filter: traceFilter<TraceFilters>(announcing.settings.filters) }],
    sums,
    living: withoutDeletions,
    rowOf,
    matches,
    postpone: ({ id }: AlertRule, scores: ReadonlySet<string>) => states.noteUnread(project, id, scores),
    announce: async (scores: readonly LowScore[]) => void events.push(...scores.map(({ score }) => score.id)),
  };
  const id = randomUUID();
  const times = { trace_started_at: instantAt(begin), created_at: instantAt(begin + 60_000) };
  const fields = { id, project_id: project, trace_id: randomUUID(), name: "helpful", ...times };
  const fold = (before: string | null, after: string | null, shard = "shard") =>
    foldScoreAlerts(parts)(shard, [recordOf(before, after, fields)]);
  const total = async () => {
    const window = await sums.read(rule, begin + 5 * 60_000);
    return [observationCount(window), totalOf(window)];
  };
  return { project, rule: announcing, states, parts, sums, trace, events, fields, id, fold, total };
};

test("a deleted trace takes its score back, from the rules that counted it, once", async () => {
  const { project, parts, trace, fields, id, fold, total } = stagingRule();
  await fold(null, "0.2");
  expect(await total()).toEqual([1, 1]);
  trace.environment = null;
  const removal = recordOf("0.2", null, fields);
  // The worker dies before the sums, and others get the record.
  const dying = { fold: () => Promise.reject(new Error("killed")) };
  await foldScoreAlerts({ ...parts, sums: dying })("shard", [removal]).catch(() => null);
  await foldScoreAlerts(parts)("shard", [removal]);
  await foldScoreAlerts(parts)("shard", [removal]);
  expect([await total(), await scoreMatches(database()).get(project, id)]).toEqual([[0, 0], null]);
});

test("a score whose trace matches only when it is edited counts from then on, and is announced", async () => {
  const { parts, trace, events, fields, id, fold, total } = stagingRule();
  trace.environment = "production";
  await fold(null, "0.2");
  expect([await total(), events]).toEqual([[0, 0], []]);

  trace.environment = "staging";
  const edit = recordOf("0.2", "0.3", fields);
  const dying = { fold: () => Promise.reject(new Error("killed")) };
  await foldScoreAlerts({ ...parts, sums: dying })("shard", [edit]).catch(() => null);
  await foldScoreAlerts(parts)("shard", [edit]);
  expect([await total(), new Set(events)]).toEqual([[1, 1], new Set([id])]);

  // What its trace becomes later changes nothing.
  trace.environment = "production";
  await fold("0.3", "0.9");
  expect(await total()).toEqual([1, 0]);
  await fold("0.9", null);
  expect(await total()).toEqual([0, 0]);
});

test("a low score whose trace cannot be read is announced once it can, and until then its rule stays due", async () => {
  const { project, rule, states, parts, sums, trace, events, fields, id, fold } = stagingRule();
  const rules = alertRules(database(), now);
  await rules.create(rule);
  const [item] = scoreItems(someScore({ ...fields, value: "0.2" }), { incarnation: "i", expiresAt: null });
  await itemsOf(database(), "scores").put(item);
  trace.environment = "unreadable";
  await fold(null, "0.2");

  let at = now();
  const sweep = async () => {
    at += 60_000;
    const unreadScores = unreadScoreEvents(unreadScoreReader(database(), parts.rowOf));
    await evaluateAlerts({ rules, states, sums, firstWindow: async () => null, unreadScores, now: () => at }, 60_000);
    const score = someScore({ ...fields, value: "0.2" });
    const event = lowScoreEvent({ rule, score, target: { type: "TRACE", id: fields.trace_id }, value: 0.2 });
    const stored = await itemsOf(database(), "runs").get({ pk: `${project}#event#${event.id}`, sk: "event" });
    return [stored !== undefined, (await states.get(project, rule.id))?.unread];
  };
  expect([await sweep(), await sweep()]).toEqual([
    [false, new Set([id])],
    [false, new Set([id])],
  ]);
  trace.environment = "staging";
  expect([await sweep(), events]).toEqual([[true, new Set()], []]);
});

test("the trace of a score is read in its partition of the day, and scores of one session are one cluster", async () => {
  const { rule, parts, sums, fields } = stagingRule();
  const places: unknown[] = [];
  const fold = foldScoreAlerts({
    ...parts,
    rowOf: async (_project, trace, _startedAt, partition) => {
      places.push([trace, partition]);
      return { ...(await parts.rowOf()), sessionId: "one session" } as Awaited<ReturnType<typeof parts.rowOf>>;
    },
  });
  const scoreIn = (partition: number) => ({
    ...fields,
    id: randomUUID(),
    trace_id: randomUUID(),
    trace_partition: partition || undefined,
  });
  const scores = [scoreIn(2), scoreIn(0)];
  for (const score of scores) await fold("shard", [recordOf(null, "0.2", score)]);

  const { groups } = await sums.read(rule, begin + 5 * 60_000);
  expect(places).toEqual(scores.map(({ trace_id }, at) => [trace_id, at === 0 ? 2 : 0]));
  expect([...groups.values()]).toMatchObject([{ count: 2, sum: 2 }]);
});

test("a low score that was edited to a higher one before its trace could be read is not announced, and more than a turn announces wait", async () => {
  const { project, rule, states, parts, sums, fields } = stagingRule();
  const rules = alertRules(database(), now);
  await rules.create(rule);
  const ids = Array.from({ length: 52 }, () => randomUUID()).toSorted();
  const [edited = ""] = ids;
  for (const id of ids) {
    const score = someScore({ ...fields, id, value: id === edited ? "0.9" : "0.2" });
    await itemsOf(database(), "scores").put(scoreItems(score, { incarnation: "i", expiresAt: null })[0]);
  }
  await states.noteUnread(project, rule.id, new Set(ids));

  const unreadCounts: number[] = [];
  for (const at of [1, 2]) {
    const unreadScores = unreadScoreEvents(unreadScoreReader(database(), parts.rowOf));
    const clock = () => now() + at * 60_000;
    await evaluateAlerts({ rules, states, sums, firstWindow: async () => null, unreadScores, now: clock }, 60_000);
    unreadCounts.push((await states.get(project, rule.id))?.unread.size ?? -1);
  }

  const isAnnounced = async (id: string): Promise<boolean> => {
    const score = someScore({ ...fields, id, value: "0.2" });
    const event = lowScoreEvent({ rule, score, target: { type: "TRACE", id: fields.trace_id }, value: 0.2 });
    return (await itemsOf(database(), "runs").get({ pk: `${project}#event#${event.id}`, sk: "event" })) !== undefined;
  };
  expect(unreadCounts).toEqual([2, 0]);
  expect(await Promise.all(ids.map(isAnnounced))).toEqual(ids.map((id) => id !== edited));
});

test("who counts a score is forgotten when no window with it is kept any more", async () => {
  const [project, score] = [randomUUID(), randomUUID()];
  const match = { rules: new Set(["rule"]), cluster: "session", sequence: 1n };
  await scoreMatches(database(), () => begin).put(project, score, match);

  const item = await itemsOf(database(), "aggregates").get(scoreMatchKey(project, score));
  expect(item).toMatchObject({ ttl: begin / 1000 + 15 * 86_400 });
});

test("a low score is not announced by a scan that completes its item, nor by an edit when it is forgotten who counted it", async () => {
  const { parts, trace, events, fields } = stagingRule();
  trace.environment = "staging";
  const { dynamodb: edited } = recordOf("0.2", "0.2", fields);
  const { x: _, ...incomplete } = edited?.OldImage ?? {};
  const scan = { dynamodb: { ...edited, OldImage: incomplete } };
  const editedAfter = (days: number): DynamoDBRecord => {
    const ApproximateCreationDateTime = begin / 1000 + days * 86_400;
    const { dynamodb } = recordOf("0.3", "0.2", { ...fields, id: randomUUID() });
    return { dynamodb: { ...dynamodb, ApproximateCreationDateTime } };
  };

  for (const record of [scan, editedAfter(20)]) await foldScoreAlerts(parts)("shard", [record]);
  expect(events).toEqual([]);
  await foldScoreAlerts(parts)("shard", [editedAfter(1)]);
  expect(events).toHaveLength(1);
});
