import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { addStatistics, meanOf, sortedValues, valueCount } from "../../../lib/domain/scores/statistics.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreFigures, type FigureRange } from "../../../lib/store/scores/figures.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreStatistics, type ScoreChange } from "../../../lib/store/scores/statistics.ts";
import { scoreSummaries } from "../../../lib/store/scores/summaries.ts";
import { scoreChange } from "../../../lib/stream/score-change.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { isOn, once, pauseAt } from "../../support/database/watched-database.ts";
import { someScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const change = (
  project: string,
  value: number,
  sequence: number,
  overrides: Partial<ScoreChange> = {},
): ScoreChange => ({
  project,
  target: "trace",
  session: null,
  before: null,
  after: { name: "helpful", status: "SUCCESS", value, order: `2026-11-21T09:00:00+00:00#${sequence}` },
  sequence: BigInt(sequence),
  ...overrides,
});

const sumOf = async (project: string, range: FigureRange = {}, on: Database = database) =>
  addStatistics((await scoreFigures(on, traceScoreKind).read(project, range)).map(({ statistics }) => statistics));

test("changes are counted once, however often and in whatever batches they are delivered", async () => {
  const batches = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { minLength: 10, maxLength: 10 }), batches, async (values, cuts) => {
      const project = randomUUID();
      const changes = values.map((value, index) => change(project, value / 4, index + 1));
      const { fold } = scoreStatistics(database);
      let reached = 0;
      for (const [from, length] of cuts) {
        const begin = Math.min(from, reached);
        await fold("shard-1", changes.slice(begin, begin + length));
        reached = Math.max(reached, Math.min(changes.length, begin + length));
      }
      await fold("shard-1", changes);

      const sum = await sumOf(project);
      expect(sum.success).toBe(10);
      expect(sortedValues(sum)).toEqual(sortedValues(addStatistics([{ ...sum, values: countsOf(values) }])));
    }),
    { numRuns: 25 },
  );
});

const countsOf = (quarters: readonly number[]): ReadonlyMap<number, number> =>
  new Map([...Map.groupBy(quarters, (value) => value / 4)].map(([value, equalValues]) => [value, equalValues.length]));

test("shards are added up, and a shard may remove what another one has added", async () => {
  const project = randomUUID();
  const { fold } = scoreStatistics(database);
  const added = change(project, 0.5, 7);

  await fold("shard-1", [added, change(project, 0.75, 8)]);
  await fold("shard-2", [change(project, 0, 1, { before: added.after, after: null })]);

  expect(await sumOf(project)).toMatchObject({ success: 1, values: new Map([[0.75, 1]]) });
});

test.each(["timeout-after", "conflict", "throttle"] as const)(
  "a first attempt that ends in %s does not change the sum",
  async (kind) => {
    const project = randomUUID();
    const faulty = faultyDatabase(
      database,
      once(({ operation }) => operation === "PutItem", kind),
    );

    await scoreStatistics(faulty).fold("shard-1", [change(project, 0.5, 1), change(project, 1, 2)]);

    expect((await sumOf(project)).success).toBe(2);
  },
);

test("a delayed worker of a shard does not undo what the next one has added meanwhile", async () => {
  const project = randomUUID();
  const changes = [0, 0.25, 0.5].map((value, index) => change(project, value, index + 1));
  const { fold } = scoreStatistics(database);
  await fold("shard-1", changes.slice(0, 1));
  const pause = pauseAt(isOn("PutItem", "aggregates"));
  const delayed = scoreStatistics(faultyDatabase(database, pause.decide)).fold("shard-1", changes.slice(0, 2));
  await pause.reached;

  await fold("shard-1", changes);
  pause.open();
  await delayed;

  expect((await sumOf(project)).success).toBe(3);
});

test("values that exceed one item are stored in pages, each value counted once", async () => {
  const project = randomUUID();
  const { fold } = scoreStatistics(database, 10);
  const changes = Array.from({ length: 60 }, (_, index) => change(project, index, index + 1));

  for (let start = 0; start < changes.length; start += 7) await fold("shard-1", changes.slice(start, start + 7));
  await fold("shard-1", changes);
  await fold("shard-1", [change(project, 0, 61, { before: changes[5]?.after ?? null, after: null })]);

  const sum = await sumOf(project);
  expect(sum.success).toBe(59);
  expect(sortedValues(sum).map(([value]) => value)).toEqual(
    changes.map((_, index) => index).filter((value) => value !== 5),
  );
});

test("a range is exact to the microsecond: whole hours from sums, the edges from scores", async () => {
  const project_id = randomUUID();
  const trace_id = await storedTrace(database, project_id);
  const times = [
    "2026-11-20T09:59:59.999999+00:00",
    "2026-11-20T10:00:00+00:00",
    "2026-11-20T10:30:00+00:00",
    "2026-11-20T11:15:00+00:00",
    "2026-11-21T00:00:00+00:00",
  ];
  const scores = times.map((created_at, index) =>
    someScore({ project_id, trace_id, created_at, value: String(index), name: index === 3 ? "other" : "helpful" }),
  );
  for (const score of scores) await scoreCreation(database).ofTrace(score);
  await scoreStatistics(database).fold("shard-1", scores.map(inserted));

  const instants = [...times, "2026-11-20T10:00:00.000001+00:00", "2026-11-20T11:00:00+00:00", undefined];
  for (const from of instants) {
    for (const to of instants) {
      for (const name of ["helpful", undefined]) {
        const expected = scores.filter(
          (score) =>
            (from === undefined || score.created_at >= from) &&
            (to === undefined || score.created_at < to) &&
            (name === undefined || score.name === name),
        );
        const sum = await sumOf(project_id, { name, date_from: from, date_to: to });
        expect(
          sortedValues(sum).map(([value]) => String(value)),
          `${from} ${to} ${name}`,
        ).toEqual(expected.map(({ value }) => value));
      }
    }
  }
});

/** The score change of a stream record for a new score. */
const inserted = (score: TraceScore, index: number): ScoreChange => scoreChange(record(index + 1, { after: score }));

const attributeOf = (value: unknown) =>
  typeof value === "number" ? { N: String(value) } : typeof value === "string" ? { S: value } : { B: "" };

/** A stored score as the image of a stream record. */
const imageOf = (score: TraceScore, expiresAt: number | null) =>
  Object.fromEntries(
    Object.entries(scoreItems(score, { incarnation: "i", expiresAt })[0])
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, attributeOf(value)]),
  );

const record = (
  sequence: number,
  {
    before,
    after,
    at,
    expiresAt = null,
  }: { before?: TraceScore; after?: TraceScore; at?: number; expiresAt?: number | null },
): DynamoDBRecord => {
  const [old, now] = [before, after].map((score) => (score === undefined ? undefined : imageOf(score, expiresAt)));
  const images = { ...(old && { OldImage: old }), ...(now && { NewImage: now }) };
  const Keys = { pk: (now ?? old)?.["pk"], sk: (now ?? old)?.["sk"] };
  const dynamodb = { ...images, Keys, SequenceNumber: String(sequence), ApproximateCreationDateTime: at ?? 0 };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK's attribute values are those of records.
  return { dynamodb } as DynamoDBRecord;
};

test("an edit moves its score, a deletion removes it, and an expiry keeps it in the history", async () => {
  const project_id = randomUUID();
  const score = (value: string, overrides: Partial<TraceScore> = {}) =>
    someScore({ project_id, trace_id: randomUUID(), value, ...overrides });
  const [failedScore, editedScore, deletedScore, expiredScore] = [
    score("0", { status: "FAILED", value: null }),
    score("0.25"),
    score("0.5"),
    score("0.75"),
  ];
  const records = [
    ...[failedScore, editedScore, deletedScore, expiredScore].map((each, index) => record(index + 1, { after: each })),
    record(5, { before: editedScore, after: { ...editedScore, value: "1" } }),
    record(6, { before: failedScore, after: { ...failedScore, status: "SUCCESS" } }),
    record(7, { before: deletedScore, at: 999, expiresAt: 1000 }),
    record(8, { before: expiredScore, at: 1000, expiresAt: 1000 }),
  ];

  await scoreStatistics(database).fold("shard-1", records.map(scoreChange));

  const sum = await sumOf(project_id);
  expect(sum).toMatchObject({ success: 3, failed: 0 });
  expect(sortedValues(sum)).toEqual([
    [0.75, 1],
    [1, 1],
  ]);
});

test("a summary has the time of the newest score that still exists", async () => {
  const project_id = randomUUID();
  const trace_id = await storedTrace(database, project_id);
  const [olderScore, newerScore] = ["2026-11-21T09:00:00+00:00", "2026-11-21T10:00:00+00:00"].map((created_at) =>
    someScore({ project_id, trace_id, created_at }),
  );
  if (olderScore === undefined || newerScore === undefined) throw new Error("Two scores are expected.");
  await scoreCreation(database).ofTrace(olderScore);
  const { fold } = scoreStatistics(database);
  await fold("shard-1", [inserted(olderScore, 0), inserted(newerScore, 1)]);
  const summaries = scoreSummaries(database, traceScoreKind);

  const before = await summaries(project_id, {});
  await scoreCreation(database).ofTrace(newerScore);
  const after = await summaries(project_id, {});

  expect(before).toMatchObject([{ latest_score_at: olderScore.created_at, success_count: 2 }]);
  expect(after).toMatchObject([{ latest_score_at: newerScore.created_at, success_count: 2 }]);
});

test("many distinct values of one hour are summed up exactly", async () => {
  const project = randomUUID();
  const values = Array.from({ length: 2_500 }, (_, index) => index / 10_000);

  await scoreStatistics(database).fold(
    "shard-1",
    values.map((value, index) => change(project, value, index + 1)),
  );

  const sorted = sortedValues(await sumOf(project));
  expect(valueCount(sorted)).toBe(2_500);
  expect(meanOf(sorted)).toBeCloseTo(0.124_95, 10);
});
