import { randomUUID } from "node:crypto";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { addStatistics } from "../../../lib/domain/scores/statistics.ts";
import { epochOf } from "../../../lib/domain/instant.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { scoreOrder } from "../../../lib/store/scores/keys.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { scoreStatistics, type NamedFact } from "../../../lib/store/scores/statistics.ts";
import { statisticsCheck } from "../../../lib/store/scores/statistics-check.ts";
import { statisticsPartition, statisticsSort } from "../../../lib/store/scores/statistics-keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { someScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const [minute, hour] = [60_000, 3_600_000];
const created_at = "2026-11-20T10:30:00+00:00";
const theHour = "2026-11-20T10";

/** A project with stored scores of the values, of which nothing is folded yet. */
const world = async (...values: readonly number[]) => {
  const clock = { now: epochOf(created_at) + hour };
  const project = randomUUID();
  const trace_id = await storedTrace(database, project);
  const scores: TraceScore[] = [];
  const make = async (value: number): Promise<TraceScore> => {
    const score = someScore({ project_id: project, trace_id, created_at, value: String(value) });
    await scoreCreation(database).ofTrace(score);
    scores.push(score);
    return score;
  };
  for (const value of values) await make(value);
  const place = { project, target: "trace", hour: theHour } as const;
  let sequence = 0;
  const scoreAt = (index: number): TraceScore => {
    const score = scores[index];
    if (score === undefined) throw new RangeError("There are not so many scores.");
    return score;
  };
  const factOf = ({ name, value, id }: TraceScore, more: Partial<NamedFact> = {}): NamedFact => {
    return { name, status: "SUCCESS", value: Number(value), order: scoreOrder(created_at, id), ...more };
  };
  const checkOn = (on = database as Pick<TestDatabase, "client" | "table">) => {
    const check = statisticsCheck(on, () => clock.now);
    return {
      look: () => check.look(place, Number.POSITIVE_INFINITY),
      /** What is due of this project has its turn. @returns names that were mended. */
      mend: async (): Promise<number> => {
        let mended = 0;
        for await (const note of check.due()) {
          if (note.project === project) mended += await check.mend(note, Number.POSITIVE_INFINITY);
        }
        return mended;
      },
    };
  };
  return {
    clock,
    project,
    make,
    scoreAt,
    factOf,
    factAt: (index: number) => factOf(scoreAt(index)),
    checkOn,
    ...checkOn(),
    fold: (before: NamedFact | null, after: NamedFact | null, shard = "shard-1") => {
      sequence += 1;
      const change = { project, target: "trace", session: null, before, after, sequence: BigInt(sequence) } as const;
      return scoreStatistics(database).fold(shard, [change]);
    },
    told: async () => {
      const parts = await scoreFigures(database, traceScores).read(project, {});
      const { success, values } = addStatistics(parts.map(({ statistics }) => statistics));
      return { success, values: Object.fromEntries(values) };
    },
  };
};

test("a score that its stream has lost is in the statistics after a day, and what comes later is folded on", async () => {
  const { clock, factAt, fold, look, mend, told } = await world(0.25, 0.5, 0.75);
  const lost = factAt(2);
  await fold(null, factAt(0));
  await fold(null, factAt(1), "shard-2");

  const found = await look();
  clock.now += 24 * hour;
  const early = await mend();
  clock.now += hour;
  const late = await mend();
  const mended = await told();
  await fold(lost, { ...lost, value: 1 });

  expect([found, early, late, await look()]).toEqual([true, 0, 1, true]);
  expect(mended).toEqual({ success: 3, values: { 0.25: 1, 0.5: 1, 0.75: 1 } });
  expect(await told()).toEqual({ success: 3, values: { 0.25: 1, 0.5: 1, 1: 1 } });
});

test("a deletion that was lost is taken out, a second time too", async () => {
  const { clock, scoreAt, factAt, factOf, fold, look, mend, told, make } = await world(0.25, 0.5);
  for (const index of [0, 1]) await fold(null, factAt(index));
  const mendedWithout = async (gone: TraceScore) => {
    const [item, copy] = scoreItems(gone, { incarnation: null, expiresAt: null });
    for (const { pk, sk } of [item, copy]) {
      await database.client.send(new DeleteCommand({ TableName: "scores", Key: { pk, sk } }));
    }
    const found = await look();
    clock.now += 25 * hour;
    return [found, await mend(), await told()];
  };

  expect(await mendedWithout(scoreAt(0))).toEqual([true, 1, { success: 1, values: { 0.5: 1 } }]);
  await fold(null, factOf(await make(1)));
  expect(await mendedWithout(scoreAt(1))).toEqual([true, 1, { success: 1, values: { 1: 1 } }]);
});

test("statistics that only lag behind their scores are left to the stream", async () => {
  const { clock, factAt, factOf, fold, make, look, mend, told } = await world(0.25, 0.5);
  await fold(null, factAt(0));

  const found = await look();
  clock.now += 10 * minute;
  await fold(null, factAt(1));
  clock.now += 25 * hour;
  const onItsWay = factOf(await make(1));
  const mended = await mend();
  await fold(null, onItsWay);

  expect([found, mended, await look()]).toEqual([true, 0, false]);
  expect((await told()).success).toBe(3);
});

test("a change that is folded while its hour is mended is counted once", async () => {
  const { clock, factAt, factOf, fold, make, look, checkOn, mend, told } = await world(0.25, 0.5);
  await fold(null, factAt(0));
  await look();
  clock.now += 25 * hour;
  const held = gate();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "TransactWriteItems") await held.pass();
    return null;
  });

  const mending = checkOn(slow).mend();
  await held.reached;
  await fold(null, factOf(await make(1)));
  held.open();
  const refused = await mending;
  await look();
  clock.now += 25 * hour;

  expect([refused, await mend()]).toEqual([0, 1]);
  expect(await told()).toEqual({ success: 3, values: { 0.25: 1, 0.5: 1, 1: 1 } });
});

test("a mending whose answer is lost is not done again", async () => {
  const { clock, factAt, fold, look, checkOn, told } = await world(0.25, 0.5);
  await fold(null, factAt(0));
  await look();
  clock.now += 25 * hour;
  const { client, table, calls } = watchedDatabase(
    database,
    once(({ operation }) => operation === "TransactWriteItems", "timeout-after"),
  );

  await checkOn({ client, table }).mend();

  expect(calls.filter(({ operation }) => operation === "TransactWriteItems").length).toBeGreaterThan(1);
  expect(await told()).toEqual({ success: 2, values: { 0.25: 1, 0.5: 1 } });
});

test("scores that have expired stay in history, and so do those of which nobody knows whether they have", async () => {
  const { project, clock, factAt, factOf, fold, look } = await world(0.25);
  const gone = someScore({ project_id: project, trace_id: randomUUID() });
  await fold(null, factAt(0));
  const expiresAt = clock.now / 1000 + 60;
  await fold(null, factOf(gone, { expiresAt }));

  const before = await look();
  clock.now = expiresAt * 1000;
  const after = await look();
  const ofPrevious = await world(0.25);
  await ofPrevious.fold(null, ofPrevious.factOf(gone));
  const Key = {
    pk: statisticsPartition("trace", ofPrevious.project),
    sk: statisticsSort(theHour, gone.name, "shard-1"),
  };
  await database.client.send(new UpdateCommand({ TableName: "aggregates", Key, UpdateExpression: "REMOVE e" }));

  // What is missing before its time is a fault.
  expect([before, after, await ofPrevious.look()]).toEqual([true, false, false]);
});

test("an hour with more scores than there is time for is not judged by some of them", async () => {
  const { project, clock } = await world(0.25, 0.5);
  const slow = watchedDatabase(database, (call) => {
    if (isOn("Query", "scores")(call)) clock.now += 1_000;
    return null;
  });
  const check = statisticsCheck(slow, () => clock.now);

  expect(await check.look({ project, target: "trace", hour: theHour }, clock.now + 500)).toBe(null);
});
