import { randomUUID } from "node:crypto";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { addStatistics } from "../../../lib/domain/scores/statistics.ts";
import { epochOf } from "../../../lib/domain/instant.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { scoreOrder } from "../../../lib/store/scores/keys.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreStatistics, type NamedScoreFact } from "../../../lib/store/scores/statistics.ts";
import { statisticsCheck } from "../../../lib/store/scores/statistics-check.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { someScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const [minute, hour] = [60_000, 3_600_000];
const created_at = "2026-11-20T10:30:00+00:00";
const theHour = "2026-11-20T10";

/** A project with one stored score per value, which are not in the statistics yet. */
const setUp = async (...values: readonly number[]) => {
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
    if (score === undefined) throw new RangeError("There is no score with this index.");
    return score;
  };
  const factOf = ({ name, value, id }: TraceScore, overrides: Partial<NamedScoreFact> = {}): NamedScoreFact => {
    return { name, status: "SUCCESS", value: Number(value), order: scoreOrder(created_at, id), ...overrides };
  };
  const checkOn = (on = database as Pick<TestDatabase, "client" | "table">) => {
    const check = statisticsCheck(on, () => clock.now);
    return {
      checkHour: () => check.check(place, Number.POSITIVE_INFINITY),
      /** Repairs the due statistics of this project. @returns the number of repaired metric names. */
      repairDue: async (): Promise<number> => {
        let repairedNames = 0;
        for await (const marker of check.due()) {
          if (marker.project === project) repairedNames += await check.repair(marker, Number.POSITIVE_INFINITY);
        }
        return repairedNames;
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
    fold: (before: NamedScoreFact | null, after: NamedScoreFact | null, shard = "shard-1") => {
      sequence += 1;
      const change = { project, target: "trace", session: null, before, after, sequence: BigInt(sequence) } as const;
      return scoreStatistics(database).fold(shard, [change]);
    },
    readStatistics: async () => {
      const parts = await scoreFigures(database, traceScoreKind).read(project, {});
      const { success, values } = addStatistics(parts.map(({ statistics }) => statistics));
      return { success, values: Object.fromEntries(values) };
    },
  };
};

test("a score that is missing in its stream is added to the statistics after a day, and later changes apply to it", async () => {
  const { clock, factAt, fold, checkHour, repairDue, readStatistics } = await setUp(0.25, 0.5, 0.75);
  const lostFact = factAt(2);
  await fold(null, factAt(0));
  await fold(null, factAt(1), "shard-2");

  const isDifferent = await checkHour();
  clock.now += 24 * hour;
  const earlyRepairs = await repairDue();
  clock.now += hour;
  const lateRepairs = await repairDue();
  const statisticsAfterRepair = await readStatistics();
  await fold(lostFact, { ...lostFact, value: 1 });

  expect([isDifferent, earlyRepairs, lateRepairs, await checkHour()]).toEqual([true, 0, 1, true]);
  expect(statisticsAfterRepair).toEqual({ success: 3, values: { 0.25: 1, 0.5: 1, 0.75: 1 } });
  expect(await readStatistics()).toEqual({ success: 3, values: { 0.25: 1, 0.5: 1, 1: 1 } });
});

test("a deletion that is missing in its stream is applied to the statistics, a second one too", async () => {
  const { clock, scoreAt, factAt, factOf, fold, checkHour, repairDue, readStatistics, make } = await setUp(0.25, 0.5);
  for (const index of [0, 1]) await fold(null, factAt(index));
  const repairWithout = async (removedScore: TraceScore) => {
    const [item, copy] = scoreItems(removedScore, { incarnation: null, expiresAt: null });
    for (const { pk, sk } of [item, copy]) {
      await database.client.send(new DeleteCommand({ TableName: "scores", Key: { pk, sk } }));
    }
    const isDifferent = await checkHour();
    clock.now += 25 * hour;
    return [isDifferent, await repairDue(), await readStatistics()];
  };

  expect(await repairWithout(scoreAt(0))).toEqual([true, 1, { success: 1, values: { 0.5: 1 } }]);
  await fold(null, factOf(await make(1)));
  expect(await repairWithout(scoreAt(1))).toEqual([true, 1, { success: 1, values: { 1: 1 } }]);
});

test("statistics that only lag behind their scores are not repaired", async () => {
  const { clock, factAt, factOf, fold, make, checkHour, repairDue, readStatistics } = await setUp(0.25, 0.5);
  await fold(null, factAt(0));

  const isDifferent = await checkHour();
  clock.now += 10 * minute;
  await fold(null, factAt(1));
  clock.now += 25 * hour;
  const lateFact = factOf(await make(1));
  const repairedNames = await repairDue();
  await fold(null, lateFact);

  expect([isDifferent, repairedNames, await checkHour()]).toEqual([true, 0, false]);
  expect((await readStatistics()).success).toBe(3);
});

test("a change during the repair of its hour is counted once", async () => {
  const { clock, factAt, factOf, fold, make, checkHour, checkOn, repairDue, readStatistics } = await setUp(0.25, 0.5);
  await fold(null, factAt(0));
  await checkHour();
  clock.now += 25 * hour;
  const transactionGate = pausePoint();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "TransactWriteItems") await transactionGate.pass();
    return null;
  });

  const overlappingRepair = checkOn(slow).repairDue();
  await transactionGate.reached;
  await fold(null, factOf(await make(1)));
  transactionGate.open();
  const refusedRepairs = await overlappingRepair;
  await checkHour();
  clock.now += 25 * hour;

  expect([refusedRepairs, await repairDue()]).toEqual([0, 1]);
  expect(await readStatistics()).toEqual({ success: 3, values: { 0.25: 1, 0.5: 1, 1: 1 } });
});

test("a repair whose answer is lost is not applied twice", async () => {
  const { clock, factAt, fold, checkHour, checkOn, readStatistics } = await setUp(0.25, 0.5);
  await fold(null, factAt(0));
  await checkHour();
  clock.now += 25 * hour;
  const { client, table, calls } = watchedDatabase(
    database,
    once(({ operation }) => operation === "TransactWriteItems", "timeout-after"),
  );

  await checkOn({ client, table }).repairDue();

  expect(calls.filter(({ operation }) => operation === "TransactWriteItems").length).toBeGreaterThan(1);
  expect(await readStatistics()).toEqual({ success: 2, values: { 0.25: 1, 0.5: 1 } });
});

test("expired scores stay in the history", async () => {
  const { project, clock, factAt, factOf, fold, checkHour } = await setUp(0.25);
  const removedScore = someScore({ project_id: project, trace_id: randomUUID() });
  await fold(null, factAt(0));
  const expiresAt = clock.now / 1000 + 60;
  await fold(null, factOf(removedScore, { expiresAt }));

  const before = await checkHour();
  clock.now = expiresAt * 1000;
  const after = await checkHour();

  // A score that is missing before its expiry is a difference.
  expect([before, after]).toEqual([true, false]);
});

test("an hour whose scores cannot all be read in time is not checked", async () => {
  const { project, clock } = await setUp(0.25, 0.5);
  const slow = watchedDatabase(database, (call) => {
    if (isOn("Query", "scores")(call)) clock.now += 1_000;
    return null;
  });
  const check = statisticsCheck(slow, () => clock.now);

  expect(await check.check({ project, target: "trace", hour: theHour }, clock.now + 500)).toBe(null);
});
