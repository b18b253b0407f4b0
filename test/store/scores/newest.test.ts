import { randomUUID } from "node:crypto";
import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { judgeIdentity } from "../../../lib/domain/scores/score.ts";
import type { NewestScore } from "../../../lib/domain/scores/newest-score.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { batchWrite } from "../../../lib/dynamo/batches.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreItems, sessionScoreItems } from "../../../lib/store/scores/codec.ts";
import { eraseScores } from "../../../lib/store/scores/erase.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import {
  newestPartition,
  unpackNewest,
  type ScoredIncarnation,
} from "../../../lib/store/scores/newest/newest-codec.ts";
import { counterStore } from "../../../lib/store/totals/counters.ts";
import { newestScores } from "../../../lib/store/scores/newest.ts";
import { scoreOrder } from "../../../lib/store/scores/keys.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { scoreStatistics } from "../../../lib/store/scores/statistics.ts";
import { scoreTypes } from "../../../lib/store/scores/units/types.ts";
import { scoreFilters } from "../../../lib/stream/score-change.ts";
import { scoreLocations } from "../../../lib/stream/score-locations.ts";
import { scoreWindow } from "../../../lib/stream/score-window.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream, type TableStream } from "../../support/database/table-stream.ts";
import { isOn, once, pauseAt } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { storedProject } from "../../support/database/stored-project.ts";
import { someScore, someSessionScore } from "./score-fixture.ts";

let database: TestDatabase;
let readStream: TableStream;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  readStream = await tableStream(database, "scores");
});
afterAll(() => database.close());

/** Reads the stream records since the last call that the score worker receives. */
const newRecords = async () => (await readStream()).filter((record) => passesFilters(record, scoreFilters));

const follow = async (Records?: Awaited<ReturnType<typeof newRecords>>, on: Database = database): Promise<void> => {
  const window = scoreWindow(
    scoreStatistics(on),
    latestSessionScores(on),
    newestScores(on),
    counterStore(on),
    withoutDeletions,
  );
  await window({ shardId: randomUUID(), Records: Records ?? (await newRecords()) });
};

const minute = (number: number): string => `2026-11-21T09:${String(number).padStart(2, "0")}:00+00:00`;

const failed = { status: "FAILED", value: null, applicable: null, source: "AUTOMATED" } as const;

/** An incarnation of a trace, and functions that create, change and read its scores. */
const newIncarnation = (
  options: { readonly incarnation?: string; readonly id?: string; readonly project?: string } = {},
) => {
  const { incarnation = "life", id: trace_id = randomUUID(), project: project_id = randomUUID() } = options;
  const place = { project: project_id, target: "trace", id: trace_id, incarnation } as const;
  let scoreCount = 0;
  const make = async (overrides: Partial<TraceScore> = {}, expiresAt: number | null = null): Promise<TraceScore> => {
    scoreCount += 1;
    const score = someScore({ project_id, trace_id, name: "helpful", created_at: minute(scoreCount), ...overrides });
    const TransactItems = scoreItems(score, { incarnation, expiresAt }).map((Item) => ({
      Put: { TableName: database.table("scores"), Item },
    }));
    await database.client.send(new TransactWriteCommand({ TransactItems }));
    return score;
  };
  const changes = scoreChanges(database, traceScoreKind);
  return {
    place,
    make,
    fail: (overrides: Partial<TraceScore> = {}) => make({ ...failed, ...overrides }),
    /** Stores many failed scores of a name, created at one instant, that no record reports. */
    failMany: async (count: number, at: string, name = "helpful"): Promise<void> => {
      const copies = Array.from({ length: count }, () => {
        const score = someScore({ project_id, trace_id, name, created_at: at, ...failed });
        return { PutRequest: { Item: scoreItems(score, { incarnation, expiresAt: null })[1] } };
      });
      await batchWrite(database, "scores", copies);
    },
    edit: (score: TraceScore, fields: Partial<TraceScore>) =>
      changes.edit(project_id, score.id, (currentScore) => ({ ...currentScore, ...fields })),
    remove: ({ id }: TraceScore) => changes.remove(project_id, id),
    newest: async (on: Database = database): Promise<readonly NewestScore[]> =>
      ((await newestScores(on).of([place]))[0] ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    /** Name, value and presence of a failure of each newest score. */
    summarize: async () =>
      ((await newestScores(database).of([place]))[0] ?? [])
        .map(({ name, score, failure }) => [name, score?.value ?? null, failure !== null])
        .toSorted(),
  };
};

const itemsOf = async (project: string, id: string) => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: database.table("aggregates"),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": newestPartition({ project, target: "trace", id }) },
    }),
  );
  return Items;
};

/** Location of a successful score. */
const placeIn = (place: ScoredIncarnation, { name, created_at, id }: TraceScore) =>
  ({ ...place, name, order: scoreOrder(created_at, id), status: "SUCCESS" }) as const;

test("the newest score of each name has the fields that lists show", async () => {
  const { make, newest } = newIncarnation();
  const judge = judgeIdentity("openai/gpt-5.4-mini", "0123456789ab");
  await make({ value: "0.25" });
  const [itemCount, tone] = [
    await make({
      value: "0.5",
      judge,
      source: "AUTOMATED",
      eval_run_id: randomUUID(),
      metadata: { metric_version: 3 },
    }),
    await make({ name: "tone", value: "kind", data_type: "CATEGORICAL" }),
  ];
  const plan = await make({ name: "plan", value: "1.0", applicable: false, inapplicable_code: "no_plan" });
  const large = await make({ name: "large", value: "1e300" });

  await follow();

  const common = {
    updated_at: itemCount.updated_at,
    source: "PROGRAMMATIC",
    judge: null,
    eval_run_id: null,
    trace_version: null,
    metric_version: null,
    passed: null,
    inapplicable_code: null,
  };
  const shownFields = ({ id, created_at, value }: TraceScore) => ({ id, created_at, value });
  expect(await newest()).toEqual([
    {
      name: "helpful",
      score: {
        ...shownFields(itemCount),
        updated_at: itemCount.updated_at,
        number: 0.5,
        data_type: "NUMERIC",
        source: "AUTOMATED",
        applicable: true,
        inapplicable_code: null,
        judge: judge.id,
        trace_version: null,
        metric_version: 3,
        passed: null,
        eval_run_id: itemCount.eval_run_id,
      },
      failure: null,
    },
    // A number that cannot be stored in the index is returned as text only.
    {
      name: "large",
      score: { ...common, ...shownFields(large), number: null, data_type: "NUMERIC", applicable: true },
      failure: null,
    },
    {
      name: "plan",
      score: {
        ...common,
        ...shownFields(plan),
        number: null,
        data_type: "NUMERIC",
        applicable: false,
        inapplicable_code: "no_plan",
      },
      failure: null,
    },
    {
      name: "tone",
      score: { ...common, ...shownFields(tone), number: null, data_type: "CATEGORICAL", applicable: true },
      failure: null,
    },
  ]);
});

/** Fields of scores by a person and by a judge about the content of one version. */
const by = {
  person: (version: number) => ({ source: "ANNOTATION", trace_version: version, content_version: version }) as const,
  judge: (version: number) =>
    ({
      source: "AUTOMATED",
      trace_version: version + 1,
      content_version: version,
      judge: judgeIdentity("openai/gpt-5.4-mini-2026-03-17", "0123456789ab"),
      eval_run_id: randomUUID(),
    }) as const,
};

test("the newest score is a person's unless a judge scored newer content, until its predecessor follows", async () => {
  const { make, edit, remove, summarize, newest, place } = newIncarnation();
  const value = async () => (await newest())[0]?.score?.value;
  const person = await make({ ...by.person(1), value: "0.25" });
  await make({ ...by.judge(1), value: "0.5" });
  const judged = await make({ ...by.judge(1), value: "0.75" });
  await follow();
  const values = [await value()];
  const newer = await make({ ...by.judge(3), value: "1" });
  await follow();
  values.push(await value());
  await remove(newer);
  await follow();
  values.push(await value());
  // A person corrects the judge's score: the judge's newest is then the one before it.
  await edit(judged, { ...by.person(1), value: "0.125" });
  await follow();
  values.push(await value());
  const [item = {}] = await itemsOf(place.project, place.id);
  await remove(judged);
  await remove(person);
  await follow();

  expect(values).toEqual(["0.25", "1", "0.25", "0.125"]);
  expect([unpackNewest(item, "program")?.score?.value, unpackNewest(item, "person")?.score?.value]).toEqual([
    "0.5",
    "0.125",
  ]);
  expect(await summarize()).toEqual([["helpful", "0.5", false]]);
});

test("the newest scores of both givers are one item below 1 KB, in which an earlier version reads the later one", async () => {
  const { make, place } = newIncarnation({ project: randomUUID() });
  const name = "an_unusually_long_name_of_a_metric_for_support_agents";
  await make({ ...by.person(1), name, value: "0.25" });
  const judged = await make({ ...by.judge(1), name, value: "0.7512", metadata: { metric_version: 3 } });
  await follow();
  const [item = {}] = await itemsOf(place.project, place.id);
  const { b: otherGiver, ...ofEarlierVersion } = item;

  expect(item).toMatchObject({ val: "0.7512", o: scoreOrder(judged.created_at, judged.id), so: "AUTOMATED" });
  expect(Buffer.byteLength(JSON.stringify(item))).toBeLessThan(1024);
  expect(otherGiver).toMatchObject({ val: "0.25" });
  expect(unpackNewest(ofEarlierVersion)?.score?.value).toBe("0.7512");
});

test.each([
  { judge: { tv: 2 }, person: { tv: 2 }, counts: "person" },
  { judge: { tv: 2 }, person: { tv: 1 }, counts: "judge" },
  { judge: {}, person: { tv: 1 }, counts: "judge" },
  { judge: { tv: 1, cv: 1 }, person: {}, counts: "judge" },
])(
  "scores stored without a version of the content are compared by that of the row, or by time: $judge, $person",
  ({ judge, person, counts }) => {
    const common = { u: minute(1), dt: "CATEGORICAL" };
    const b = { ...common, ...person, o: `${minute(1)}#a`, val: "person", so: "ANNOTATION" };
    const item = { ...common, ...judge, n: "tone", o: `${minute(2)}#b`, val: "judge", so: "AUTOMATED", b };

    expect(unpackNewest(item)?.score?.value).toBe(counts);
  },
);

test("of two scores of the same instant the one with the greater id is the newest, in any order of arrival", async () => {
  const { make, summarize } = newIncarnation();
  const [low = "", high = ""] = [randomUUID(), randomUUID()].toSorted();
  await make({ id: high, value: "0.75", created_at: minute(1) });
  await follow();
  await make({ id: low, value: "0.25", created_at: minute(1) });
  await follow();

  expect(await summarize()).toEqual([["helpful", "0.75", false]]);
});

test("an edited newest score stays the newest, and a deleted one is replaced by its predecessor", async () => {
  const { make, edit, remove, summarize, newest } = newIncarnation();
  const [first, second] = [await make({ value: "0.25" }), await make({ value: "0.5" })];
  await follow();
  await edit(second, { value: "0.75" });
  await follow();
  const edited = await summarize();
  await edit(first, { value: "0.125" });
  await remove(second);
  await follow();
  const before = await summarize();
  await remove(first);
  await follow();

  expect(edited).toEqual([["helpful", "0.75", false]]);
  expect(before).toEqual([["helpful", "0.125", false]]);
  expect(await newest()).toEqual([]);
});

test("a failure is shown beside an older success, or alone if there is no success", async () => {
  const { make, fail, edit, remove, summarize, newest } = newIncarnation();
  const firstFailure = await fail();
  await follow();
  const onlyFailed = await summarize();
  await make({ value: "0.5" });
  const failure = await fail();
  await fail();
  await follow();
  const withSuccess = await summarize();
  const latest = (await newest())[0]?.failure;
  await remove({ ...failure, id: latest?.id ?? "" });
  await edit(failure, { status: "SUCCESS", value: "1" });
  await edit(firstFailure, { status: "SUCCESS", value: "0" });
  await follow();

  expect(onlyFailed).toEqual([["helpful", null, true]]);
  expect(withSuccess).toEqual([["helpful", "0.5", true]]);
  expect(latest?.created_at).toBe(minute(4));
  expect(await summarize()).toEqual([["helpful", "1", false]]);
});

test("a success that is edited or removed is shown as it is then, also beside a newer failure and not beside an older one", async () => {
  const { make, fail, edit, remove, summarize } = newIncarnation();
  await fail();
  await make({ value: "0.25" });
  const success = await make({ value: "0.5" });
  const steps = [
    async () => success,
    () => fail(),
    () => edit(success, { value: "0.75" }),
    () => remove(success),
    () => make({ source: "ANNOTATION", value: "1" }),
  ];
  const shown = [];
  for (const step of steps) {
    await step();
    await follow();
    shown.push(...(await summarize()));
  }

  expect(shown).toEqual([
    ["helpful", "0.5", false],
    ["helpful", "0.5", true],
    ["helpful", "0.75", true],
    ["helpful", "0.25", true],
    ["helpful", "1", false],
  ]);
});

test("a judge's score that is edited beside a person's newer one is the newest of its giver as it is then", async () => {
  const { make, edit, place } = newIncarnation();
  const judged = await make({ ...by.judge(1), value: "0.25" });
  await make({ ...by.person(1), value: "1" });
  await follow();
  await edit(judged, { reason: "Edited.", updated_at: minute(59) });
  await follow();

  const [item = {}] = await itemsOf(place.project, place.id);
  expect(item).toMatchObject({ val: "1", b: { val: "0.25", u: minute(59) } });
});

test("the types of a name's scores are those of its successes, as a failed one has no value of its type", async () => {
  const { make, fail, place } = newIncarnation();
  await make({ data_type: "CATEGORICAL", value: "kind" });
  await fail({ data_type: "NUMERIC" });
  await follow();
  expect(await scoreTypes(database, ["trace"])(place.project, "helpful")).toEqual(["CATEGORICAL"]);
});

test("records that are repeated, late or out of order change nothing", async () => {
  const { make, edit, remove, summarize } = newIncarnation();
  const [first, second, third] = [
    await make({ value: "0.25" }),
    await make({ value: "0.5" }),
    await make({ value: "1" }),
  ];
  await edit(second, { value: "0.75" });
  await remove(third);
  const records = await newRecords();

  for (const record of [...records.toReversed(), ...records]) await follow([record]);
  await edit(first, { value: "0" });
  await follow(records.slice(0, 1));

  expect(await summarize()).toEqual([["helpful", "0.75", false]]);
});

test("each incarnation of a trace has its own newest scores, which are removed with its scores", async () => {
  const before = newIncarnation();
  const after = newIncarnation({ ...before.place, incarnation: "another" });
  await before.make({ value: "0.25" });
  await before.make({ name: "tone", value: "0.5" });
  await after.make({ value: "0.75" });
  await follow();
  const [firstSummary, secondSummary] = [await before.summarize(), await after.summarize()];

  const { project, id, incarnation } = before.place;
  await scoreRemoval(database).removeScoresOfTrace(project, id, incarnation);
  await follow();

  expect(firstSummary).toEqual([
    ["helpful", "0.25", false],
    ["tone", "0.5", false],
  ]);
  expect(secondSummary).toEqual([["helpful", "0.75", false]]);
  expect([await before.newest(), await after.summarize()]).toEqual([[], secondSummary]);
  // One item without scores remains for an hour, so that an overtaken worker does not restore the scores.
  expect((await itemsOf(project, id)).filter(({ n }) => n !== undefined)).toHaveLength(1);
});

test("the deletion of a run with its scores removes them from the newest scores", async () => {
  const { place, make, summarize } = newIncarnation();
  const run = randomUUID();
  await make({ value: "0.25" });
  await make({ value: "0.5", eval_run_id: run });
  await follow();

  await scoreRemoval(database).removeScoresOfRun(place.project, run, Number.POSITIVE_INFINITY);
  await follow();

  expect(await summarize()).toEqual([["helpful", "0.25", false]]);
});

test("a newest score expires with its score", async () => {
  const { place, make } = newIncarnation();
  const at = Math.floor(Date.now() / 1000) + 600;
  await make({ value: "0.5" }, at);
  await follow();

  const [item] = await itemsOf(place.project, place.id);
  expect(item).toMatchObject({ n: "helpful", ttl: at });
  expect(await newestScores(database, () => at * 1000 - 1).of([place])).toMatchObject([[{ name: "helpful" }]]);
  expect(await newestScores(database, () => at * 1000).of([place])).toEqual([[]]);
});

test.each(["the first", "a later"])(
  "a worker that was overtaken with %s score does not restore a deleted score",
  async (which) => {
    const { place, make, remove, newest } = newIncarnation();
    await storedProject(database, place.project);
    if (which === "a later") {
      await make({ value: "0.25" });
      await follow();
    }
    const removedScore = await make({ value: "0.5" });
    await newRecords();
    const putGate = pauseAt(isOn("PutItem", "aggregates"));
    const slow = faultyDatabase(database, putGate.decide);

    const overtakenRefresh = newestScores(slow).refresh([placeIn(place, removedScore)]);
    await putGate.reached;
    await remove(removedScore);
    await follow();
    putGate.open();
    await overtakenRefresh;

    expect((await newest()).map(({ score }) => score?.value)).toEqual(which === "a later" ? ["0.25"] : []);
  },
);

test("more names than fit a page are refreshed one by one", async () => {
  const { place, make, edit, summarize } = newIncarnation();
  const names = Array.from({ length: 55 }, (_, index) => `name ${index}`);
  const scores = await Promise.all(names.map((name) => make({ name, value: "0.5", created_at: minute(1) })));
  const places = scores.map((score) => placeIn(place, score));
  await newestScores(database).refresh(places);

  await Promise.all(scores.map((score) => edit(score, { value: "0.75" })));
  await newRecords();
  await newestScores(database).refresh(places);

  expect(await summarize()).toEqual(names.map((name) => [name, "0.75", false]).toSorted());
});

test("a refresh costs one write unit per metric and two reads per trace, a page half a read unit per trace", async () => {
  const project = randomUUID();
  const traces = Array.from({ length: 10 }, () => newIncarnation({ project }));
  const names = Array.from({ length: 9 }, (_, index) => `metric_${index}`);
  const places = await Promise.all(
    traces.flatMap(({ place, make }) => names.map(async (name) => placeIn(place, await make({ name, value: "0.5" })))),
  );
  const records = await newRecords();
  const faultyDb = faultyDatabase(database, () => null);
  const takeCapacity = countCapacity(faultyDb);

  await newestScores(faultyDb).refresh(places);
  const writeCost = takeCapacity();
  const newestOfPage = await newestScores(faultyDb).of(traces.map(({ place }) => place));
  const page = takeCapacity();

  expect(records).toHaveLength(90);
  expect(writeCost).toMatchObject({ write: 90, calls: 10 * 11 });
  expect(writeCost.read / 10).toBeLessThanOrEqual(3);
  expect(newestOfPage.flat()).toHaveLength(90);
  expect(page.read).toBeLessThanOrEqual(5);
});

test("a failed score costs the same for a target with few and with many scores", async () => {
  const { place, make, fail, failMany, summarize } = newIncarnation();
  await make({ value: "0.5" });
  await follow();
  await failMany(400, minute(2));
  const score = await fail({ created_at: minute(3) });
  const counted = faultyDatabase(database, () => null);
  const takeCapacity = countCapacity(counted);

  await newestScores(counted).refresh([{ ...placeIn(place, score), status: "FAILED" }]);

  expect(takeCapacity()).toMatchObject({ read: expect.toSatisfy((units) => units <= 6), write: 1, calls: 4 });
  expect(await summarize()).toEqual([["helpful", "0.5", true]]);
});

test("late records of scores that are older than a page are counted", async () => {
  const { make, edit, failMany, summarize } = newIncarnation();
  const [success, failure] = [await make({ value: "0.5" }), await make({ ...failed, name: "tone" })];
  const records = await newRecords();
  await failMany(30, minute(5), "another");
  await follow(records);
  const late = await summarize();
  await edit(success, { value: "0.75" });
  await edit(failure, { value: "1", status: "SUCCESS" });
  await follow();

  expect(late).toEqual([
    ["helpful", "0.5", false],
    ["tone", null, true],
  ]);
  expect(await summarize()).toEqual([
    ["helpful", "0.75", false],
    ["tone", "1", false],
  ]);
});

test.each([
  { kind: "success", window: 200, summary: [["helpful", "0.25", false]] },
  { kind: "failure", window: 200, summary: [["helpful", null, true]] },
  { kind: "success", window: 50, summary: [] },
])("the predecessor of a removed $kind is searched in $window older scores", async ({ kind, window, summary }) => {
  const { make, remove, failMany, summarize } = newIncarnation();
  const fields = kind === "success" ? { value: "0.25" } : failed;
  await make(fields);
  await failMany(60, minute(2), "older");
  const newest = await make({ ...fields, created_at: minute(3) });
  await follow();
  await failMany(60, minute(4), "another");

  await remove(newest);
  await newestScores(database, Date.now, window).refresh((await newRecords()).flatMap(scoreLocations));

  expect(await summarize()).toEqual(summary);
});

test("a change of an older score writes nothing", async () => {
  const { place, make, edit } = newIncarnation();
  const [first] = [await make({ value: "0.25" }), await make({ value: "0.5" })];
  await follow();
  const before = await itemsOf(place.project, place.id);

  await edit(first, { value: "0" });
  await follow();

  expect(await itemsOf(place.project, place.id)).toEqual(before);
});

test("a worker whose write fails or has an unknown outcome retries", async () => {
  for (const kind of ["timeout-after", "conflict", "throttle"] as const) {
    const { make, summarize } = newIncarnation();
    await make({ value: "0.5" });
    const faulty = faultyDatabase(database, once(isOn("PutItem", "aggregates"), kind));

    await follow(undefined, faulty).catch(() => undefined);
    await make({ value: "0.75" });
    await follow();

    expect(await summarize()).toEqual([["helpful", "0.75", false]]);
  }
});

test("sessions have newest scores too, and a number that cannot be stored does not block their list", async () => {
  const project = randomUUID();
  const scores = ["0.5", "1e300"].map((value, index) =>
    someSessionScore({ project_id: project, session_id: "a#b", name: "solved", value, created_at: minute(index) }),
  );
  for (const score of scores) {
    const TransactItems = sessionScoreItems(score, null).map((Item) => ({
      Put: { TableName: database.table("scores"), Item },
    }));
    await database.client.send(new TransactWriteCommand({ TransactItems }));
  }

  await follow();

  const place = { project, target: "session", id: "a#b", incarnation: null } as const;
  expect(await newestScores(database).of([place])).toMatchObject([
    [{ name: "solved", score: { value: "1e300", number: null } }],
  ]);
  expect(await latestSessionScores(database).list(project, "solved")).toEqual([
    { session: "a#b", score: 1e300, at: minute(1), run: null, version: null },
  ]);
});

test.each([
  { window: 200, values: ["0.25"] },
  { window: 50, values: [] },
])("the newest successful score of a session is searched in $window scores", async ({ window, values }) => {
  const [project, session_id, name] = [randomUUID(), randomUUID(), "solved"];
  const success = someSessionScore({ project_id: project, session_id, name, value: "0.25", created_at: minute(1) });
  const failures = Array.from({ length: 60 }, () =>
    someSessionScore({ project_id: project, session_id, name, created_at: minute(2), ...failed }),
  );
  const Items = [success, ...failures].flatMap((score) => sessionScoreItems(score, null));
  await batchWrite(
    database,
    "scores",
    Items.map((Item) => ({ PutRequest: { Item } })),
  );
  const latest = latestSessionScores(database, Date.now, window);

  await latest.refresh(project, name, session_id);

  expect((await latest.list(project, name)).map(({ score }) => String(score))).toEqual(values);
});

test("the newest scores of a deleted project are erased", async () => {
  const [erasedProject, otherProject] = [newIncarnation(), newIncarnation()];
  for (const { make } of [erasedProject, otherProject]) {
    await make();
    await make({ name: "tone" });
  }
  await follow();

  let erased = 0;
  for await (const count of eraseScores(database)(erasedProject.place.project)) erased += Number(count);

  expect(erased).toBe(2);
  expect(await itemsOf(erasedProject.place.project, erasedProject.place.id)).toEqual([]);
  expect(await otherProject.summarize()).toHaveLength(2);
});

test("a worker that remembers a deleted project stores no newest score of it after the erasure", async () => {
  const { place, make } = newIncarnation();
  const project = await storedProject(database, place.project);
  await make();
  await follow();

  await deletionRequests(database).ofProject(project, randomUUID(), false);
  for await (const _ of eraseScores(database)(project.id));
  await follow();

  expect(await itemsOf(project.id, place.id)).toEqual([]);
});
