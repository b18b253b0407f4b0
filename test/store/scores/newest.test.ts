import { randomUUID } from "node:crypto";
import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { judgeIdentity } from "../../../lib/domain/scores/judge-identity.ts";
import type { NewestScore } from "../../../lib/domain/scores/newest-score.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import type { Database } from "../../../lib/store/database.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreItems, sessionScoreItems } from "../../../lib/store/scores/codec.ts";
import { eraseScores } from "../../../lib/store/scores/erase.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { newestPartition, type ScoredLife } from "../../../lib/store/scores/newest-codec.ts";
import { counterStore } from "../../../lib/store/counters.ts";
import { newestScores } from "../../../lib/store/scores/newest.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { scoreStatistics } from "../../../lib/store/scores/statistics.ts";
import { scoreFilters } from "../../../lib/stream/score-change.ts";
import { scoreWindow } from "../../../lib/stream/score-window.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { allLiving } from "../../support/database/all-living.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream, type TableStream } from "../../support/database/table-stream.ts";
import { isOn, once } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { someScore, someSessionScore } from "./score-fixture.ts";

let database: TestDatabase;
let read: TableStream;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  read = await tableStream(database, "scores");
});
afterAll(() => database.close());

/** What the stream's worker is told next: what has happened since. */
const told = async () => (await read()).filter((record) => passesFilters(record, scoreFilters));

const follow = async (Records?: Awaited<ReturnType<typeof told>>, on: Database = database): Promise<void> => {
  const window = scoreWindow(
    scoreStatistics(on),
    latestSessionScores(on),
    newestScores(on),
    counterStore(on),
    allLiving,
  );
  await window({ shardId: randomUUID(), Records: Records ?? (await told()) });
};

const minute = (number: number): string => `2026-11-21T09:${String(number).padStart(2, "0")}:00+00:00`;

/** One life of a trace, and what is done with its scores. */
const life = (given: { readonly incarnation?: string; readonly id?: string; readonly project?: string } = {}) => {
  const { incarnation = "life", id: trace_id = randomUUID(), project: project_id = randomUUID() } = given;
  const place = { project: project_id, target: "trace", id: trace_id, incarnation } as const;
  let made = 0;
  const make = async (more: Partial<TraceScore> = {}, expiresAt: number | null = null): Promise<TraceScore> => {
    made += 1;
    const score = someScore({ project_id, trace_id, name: "helpful", created_at: minute(made), ...more });
    const TransactItems = scoreItems(score, { incarnation, expiresAt }).map((Item) => ({
      Put: { TableName: database.table("scores"), Item },
    }));
    await database.client.send(new TransactWriteCommand({ TransactItems }));
    return score;
  };
  const changes = scoreChanges(database, traceScores);
  return {
    place,
    make,
    fail: () => make({ status: "FAILED", value: null, applicable: null, source: "AUTOMATED" }),
    edit: (score: TraceScore, fields: Partial<TraceScore>) =>
      changes.edit(project_id, score.id, (held) => ({ ...held, ...fields })),
    remove: ({ id }: TraceScore) => changes.remove(project_id, id),
    newest: async (on: Database = database): Promise<readonly NewestScore[]> =>
      ((await newestScores(on).of([place]))[0] ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    /** Name, value and failure of each. */
    said: async () =>
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

/** A score of that name made then, the last of its instant. */
const placeIn = (place: ScoredLife, name: string, at: string) => ({ ...place, name, order: `${at}#~` });

test("the newest score of each name is told with what lists show of it", async () => {
  const { make, newest } = life();
  const judge = judgeIdentity("openai/gpt-5.4-mini", "0123456789ab");
  await make({ value: "0.25" });
  const [half, tone] = [
    await make({ value: "0.5", judge, source: "AUTOMATED", eval_run_id: randomUUID() }),
    await make({ name: "tone", value: "kind", data_type: "CATEGORICAL" }),
  ];
  const plan = await make({ name: "plan", value: "1.0", applicable: false, inapplicable_code: "no_plan" });
  const large = await make({ name: "large", value: "1e300" });

  await follow();

  const common = {
    updated_at: half.updated_at,
    source: "PROGRAMMATIC",
    judge: null,
    eval_run_id: null,
    trace_version: null,
  };
  const of = ({ id, created_at, value }: TraceScore) => ({ id, created_at, value });
  expect(await newest()).toEqual([
    {
      name: "helpful",
      score: {
        ...of(half),
        updated_at: half.updated_at,
        number: 0.5,
        data_type: "NUMERIC",
        source: "AUTOMATED",
        applicable: true,
        judge: judge.id,
        trace_version: null,
        eval_run_id: half.eval_run_id,
      },
      failure: null,
    },
    // A number that no index takes is told as text, and stops nobody.
    {
      name: "large",
      score: { ...common, ...of(large), number: null, data_type: "NUMERIC", applicable: true },
      failure: null,
    },
    {
      name: "plan",
      score: { ...common, ...of(plan), number: null, data_type: "NUMERIC", applicable: false },
      failure: null,
    },
    {
      name: "tone",
      score: { ...common, ...of(tone), number: null, data_type: "CATEGORICAL", applicable: true },
      failure: null,
    },
  ]);
});

test("of two scores of one instant the one with the greater id is the newest, whichever was told first", async () => {
  const { make, said } = life();
  const [low = "", high = ""] = [randomUUID(), randomUUID()].toSorted();
  await make({ id: high, value: "0.75", created_at: minute(1) });
  await follow();
  await make({ id: low, value: "0.25", created_at: minute(1) });
  await follow();

  expect(await said()).toEqual([["helpful", "0.75", false]]);
});

test("the newest is edited, deleted, and the one before it takes its place, until there is none", async () => {
  const { make, edit, remove, said, newest } = life();
  const [first, second] = [await make({ value: "0.25" }), await make({ value: "0.5" })];
  await follow();
  await edit(second, { value: "0.75" });
  await follow();
  const edited = await said();
  await edit(first, { value: "0.125" });
  await remove(second);
  await follow();
  const before = await said();
  await remove(first);
  await follow();

  expect(edited).toEqual([["helpful", "0.75", false]]);
  expect(before).toEqual([["helpful", "0.125", false]]);
  expect(await newest()).toEqual([]);
});

test("a failure stands beside the success that it is newer than, and alone where nothing succeeded", async () => {
  const { make, fail, edit, remove, said, newest } = life();
  const alone = await fail();
  await follow();
  const onlyFailed = await said();
  await make({ value: "0.5" });
  const failure = await fail();
  await fail();
  await follow();
  const both = await said();
  const latest = (await newest())[0]?.failure;
  await remove({ ...failure, id: latest?.id ?? "" });
  await edit(failure, { status: "SUCCESS", value: "1" });
  await edit(alone, { status: "SUCCESS", value: "0" });
  await follow();

  expect(onlyFailed).toEqual([["helpful", null, true]]);
  expect(both).toEqual([["helpful", "0.5", true]]);
  expect(latest?.created_at).toBe(minute(4));
  expect(await said()).toEqual([["helpful", "1", false]]);
});

test("records that come again, late and in another order change nothing", async () => {
  const { make, edit, remove, said } = life();
  const [first, second, third] = [
    await make({ value: "0.25" }),
    await make({ value: "0.5" }),
    await make({ value: "1" }),
  ];
  await edit(second, { value: "0.75" });
  await remove(third);
  const records = await told();

  for (const record of [...records.toReversed(), ...records]) await follow([record]);
  await edit(first, { value: "0" });
  await follow(records.slice(0, 1));

  expect(await said()).toEqual([["helpful", "0.75", false]]);
});

test("each life of a trace has its own, and with its scores it goes", async () => {
  const before = life();
  const after = life({ ...before.place, incarnation: "another" });
  await before.make({ value: "0.25" });
  await before.make({ name: "tone", value: "0.5" });
  await after.make({ value: "0.75" });
  await follow();
  const [old, anew] = [await before.said(), await after.said()];

  const { project, id, incarnation } = before.place;
  await scoreRemoval(database).removeScoresOfTrace(project, id, incarnation);
  await follow();

  expect(old).toEqual([
    ["helpful", "0.25", false],
    ["tone", "0.5", false],
  ]);
  expect(anew).toEqual([["helpful", "0.75", false]]);
  expect([await before.newest(), await after.said()]).toEqual([[], anew]);
  // What is left says for an hour that there is none, so that no late worker brings it back.
  expect((await itemsOf(project, id)).filter(({ n }) => n !== undefined)).toHaveLength(1);
});

test("what a run's deletion takes with it is told no longer", async () => {
  const { place, make, said } = life();
  const run = randomUUID();
  await make({ value: "0.25" });
  await make({ value: "0.5", eval_run_id: run });
  await follow();

  await scoreRemoval(database).removeScoresOfRun(place.project, run, Number.POSITIVE_INFINITY);
  await follow();

  expect(await said()).toEqual([["helpful", "0.25", false]]);
});

test("it expires with its score, and one that has expired is not told", async () => {
  const { place, make } = life();
  const at = Math.floor(Date.now() / 1000) + 600;
  await make({ value: "0.5" }, at);
  await follow();

  const [item] = await itemsOf(place.project, place.id);
  expect(item).toMatchObject({ n: "helpful", ttl: at });
  expect(await newestScores(database, () => at * 1000 - 1).of([place])).toMatchObject([[{ name: "helpful" }]]);
  expect(await newestScores(database, () => at * 1000).of([place])).toEqual([[]]);
});

test.each(["the first", "a later"])(
  "a worker that was overtaken with %s score does not bring back what has been deleted",
  async (which) => {
    const { place, make, remove, newest } = life();
    if (which === "a later") {
      await make({ value: "0.25" });
      await follow();
    }
    const doomed = await make({ value: "0.5" });
    await told();
    const here = gate();
    const slow = faultyDatabase(database, async (call) => {
      if (isOn("PutItem", "aggregates")(call)) await here.pass();
      return null;
    });

    const late = newestScores(slow).refresh([placeIn(place, doomed.name, doomed.created_at)]);
    await here.reached;
    await remove(doomed);
    await follow();
    here.open();
    await late;

    expect((await newest()).map(({ score }) => score?.value)).toEqual(which === "a later" ? ["0.25"] : []);
  },
);

test("names that the version before has scored are told, and come with the first change, whatever breaks meanwhile", async () => {
  const { place, make, said, newest } = life();
  for (const name of ["a", "b", "c"]) await make({ name, value: "0.5" });
  await told();
  const all = [
    ["a", "0.5", false],
    ["b", "0.5", false],
    ["c", "0.5", false],
    ["d", "1", false],
  ];
  const unknown = await said();
  await make({ name: "d", value: "1" });
  const records = await told();
  let puts = 0;
  const dying = faultyDatabase(database, (call) => {
    if (isOn("PutItem", "aggregates")(call)) puts += 1;
    return puts === 3 ? "crash-before" : null;
  });

  await expect(newestScores(dying).refresh([placeIn(place, "d", minute(4))])).rejects.toThrow(/./u);
  const [half, broken] = [(await itemsOf(place.project, place.id)).length, await said()];
  await follow(records);
  const own = faultyDatabase(database, () => null);
  const reads = countCapacity(own);
  const brought = await newest(own);

  expect(unknown).toEqual(all.slice(0, 3));
  expect([half, broken]).toEqual([2, all]);
  expect(brought.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
  expect(reads().read).toBeLessThanOrEqual(0.5);
});

test("the names of a life beyond a page are found one by one", async () => {
  const { place, make, edit, said } = life();
  const names = Array.from({ length: 55 }, (_, index) => `name ${index}`);
  const made = await Promise.all(names.map((name) => make({ name, value: "0.5", created_at: minute(1) })));
  const places = names.map((name) => placeIn(place, name, minute(1)));
  await newestScores(database).refresh(places);

  await Promise.all(made.map((score) => edit(score, { value: "0.75" })));
  await told();
  await newestScores(database).refresh(places);

  expect(await said()).toEqual(names.map((name) => [name, "0.75", false]).toSorted());
});

test("a trace's metrics cost a unit each and two reads, and those of a page of traces half a unit a trace", async () => {
  const project = randomUUID();
  const traces = Array.from({ length: 10 }, () => life({ project }));
  const names = Array.from({ length: 9 }, (_, index) => `metric_${index}`);
  await Promise.all(traces.flatMap(({ make }) => names.map((name) => make({ name, value: "0.5" }))));
  const records = await told();
  const own = faultyDatabase(database, () => null);
  const spent = countCapacity(own);

  await newestScores(own).refresh(
    traces.flatMap(({ place }) => names.map((name, index) => placeIn(place, name, minute(index + 1)))),
  );
  const written = spent();
  const found = await newestScores(own).of(traces.map(({ place }) => place));
  const page = spent();

  expect(records).toHaveLength(90);
  expect(written).toMatchObject({ write: 90, calls: 10 * 11 });
  expect(written.read / 10).toBeLessThanOrEqual(3);
  expect(found.flat()).toHaveLength(90);
  expect(page.read).toBeLessThanOrEqual(5);
});

test("an older score that changes writes nothing", async () => {
  const { place, make, edit } = life();
  const [first] = [await make({ value: "0.25" }), await make({ value: "0.5" })];
  await follow();
  const before = await itemsOf(place.project, place.id);

  await edit(first, { value: "0" });
  await follow();

  expect(await itemsOf(place.project, place.id)).toEqual(before);
});

test("a worker whose write is lost, or was made without its knowing, looks again", async () => {
  for (const kind of ["timeout-after", "conflict", "throttle"] as const) {
    const { make, said } = life();
    await make({ value: "0.5" });
    const faulty = faultyDatabase(database, once(isOn("PutItem", "aggregates"), kind));

    await follow(undefined, faulty).catch(() => undefined);
    await make({ value: "0.75" });
    await follow();

    expect(await said()).toEqual([["helpful", "0.75", false]]);
  }
});

test("sessions have theirs, and a number that cannot be stored stops neither them nor their comparison", async () => {
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

test("a project that is erased leaves none of them", async () => {
  const [gone, kept] = [life(), life()];
  for (const { make } of [gone, kept]) {
    await make();
    await make({ name: "tone" });
  }
  await follow();

  let erased = 0;
  for await (const count of eraseScores(database)(gone.place.project)) erased += Number(count);

  expect(erased).toBe(2);
  expect(await itemsOf(gone.place.project, gone.place.id)).toEqual([]);
  expect(await kept.said()).toHaveLength(2);
});
