import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passesFilters } from "../../../../infra/local/mapping/filter-pattern.ts";
import { instantAt } from "../../../../lib/domain/instant.ts";
import type { ScoreFilters } from "../../../../lib/domain/scores/filter.ts";
import { scoreSources, scoreStatuses, type TraceScore } from "../../../../lib/domain/scores/score.ts";
import { counterStore } from "../../../../lib/store/totals/counters.ts";
import { failedLists } from "../../../../lib/store/totals/failed-lists.ts";
import { eraseAggregates } from "../../../../lib/store/hours/erase.ts";
import { scoreChanges } from "../../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../../lib/store/scores/creation.ts";
import { eraseScores } from "../../../../lib/store/scores/erase.ts";
import { traceScoreKind } from "../../../../lib/store/scores/kind.ts";
import { latestSessionScores } from "../../../../lib/store/scores/latest-of-session.ts";
import { listPage } from "../../../../lib/store/totals/list-page.ts";
import { scoreQueries } from "../../../../lib/store/scores/query.ts";
import { scoreList } from "../../../../lib/store/scores/list.ts";
import { newestScores } from "../../../../lib/store/scores/newest.ts";
import { countEstimates } from "../../../../lib/store/scores/count-estimates.ts";
import { scoreStatistics } from "../../../../lib/store/scores/statistics.ts";
import { scoreFilters } from "../../../../lib/stream/score-change.ts";
import { scoreWindow } from "../../../../lib/stream/score-window.ts";
import { countCapacity } from "../../../bench/capacity.ts";
import { withoutDeletions } from "../../../support/database/without-deletions.ts";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { tableStream, type TableStream } from "../../../support/database/table-stream.ts";
import { seeded } from "../../../support/random.ts";
import { writeScores } from "../../../support/score-items.ts";
import { someScore, storedTrace } from "../../scores/score-fixture.ts";

let database: TestDatabase;
let stream: TableStream;
let takeCapacity: ReturnType<typeof countCapacity>;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  takeCapacity = countCapacity(database);
  stream = await tableStream(database, "scores");
});
afterAll(() => database.close());

const records = async (): Promise<DynamoDBRecord[]> =>
  (await stream()).filter((record) => passesFilters(record, scoreFilters));

const deliver = (Records: DynamoDBRecord[]): Promise<unknown> =>
  scoreWindow(
    scoreStatistics(database),
    latestSessionScores(database),
    newestScores(database),
    counterStore(database),
    withoutDeletions,
  )({ shardId: "shard", Records });

const follow = async (): Promise<void> => void (await deliver(await records()));

const start = Date.UTC(2026, 9, 1);

const [run, otherRun] = [randomUUID(), randomUUID()];

/** Scores of a project, oldest first, with random values of every field that lists filter by. */
const scoresToWrite = (project_id: string, count: number, seed = 1): readonly TraceScore[] => {
  const random = seeded(seed);
  // Few traces: the stream's handler reads and writes the newest scores of each.
  const traces = Array.from({ length: 5 }, () => randomUUID());
  return Array.from({ length: count }, (_, index) => {
    const at = instantAt(start + index * 600_000);
    return someScore({
      project_id,
      trace_id: traces[index % traces.length] ?? "",
      name: random.pick(["helpful", "polite", "correct"]),
      status: random.pick(scoreStatuses),
      source: random.pick(scoreSources),
      environment: random.pick(["prod", "test", null]),
      eval_run_id: random.pick([run, otherRun, null]),
      created_at: at,
      updated_at: at,
    });
  });
};

const matching = (scores: readonly TraceScore[], filter: ScoreFilters): readonly TraceScore[] =>
  scores
    .filter(
      (score) =>
        (filter.name ?? score.name) === score.name &&
        (filter.status ?? score.status) === score.status &&
        (filter.source ?? score.source) === score.source &&
        (filter.data_type ?? score.data_type) === score.data_type &&
        (filter.environment ?? score.environment) === score.environment &&
        (filter.eval_run_id ?? score.eval_run_id) === score.eval_run_id &&
        (filter.date_from ?? "") <= score.created_at &&
        score.created_at < (filter.date_to ?? "9"),
    )
    .toReversed();

const filters: readonly ScoreFilters[] = [
  {},
  { name: "polite" },
  { status: "FAILED" },
  { source: "ANNOTATION", status: "SUCCESS" },
  { eval_run_id: run },
  { eval_run_id: run, status: "FAILED" },
  { eval_run_id: run, name: "polite" },
  { environment: "prod" },
  { name: "nobody" },
  { date_from: instantAt(start + 40 * 600_000 + 1), date_to: instantAt(start + 90 * 600_000) },
];

const expectLists = async (project: string, scores: readonly TraceScore[]): Promise<void> => {
  const list = scoreList(database, traceScoreKind);
  for (const filter of filters) {
    const expectedScores = matching(scores, filter);
    for (const [limit, offset] of [
      [50, 0],
      [7, 5],
      [200, 0],
      [5, expectedScores.length],
    ] as const) {
      const page = await list.page(project, filter, limit, offset);
      expect([filter, page.items.map(({ id }) => id)]).toEqual([
        filter,
        expectedScores.slice(offset, offset + limit).map(({ id }) => id),
      ]);
      expect([filter, page.total]).toEqual([filter, expectedScores.length]);
    }
  }
};

test("pages of every filter contain each score once and in order, and totals match", async () => {
  const project = randomUUID();
  const scores = scoresToWrite(project, 260);
  await writeScores(database, scores);
  await follow();

  await expectLists(project, scores);
  const deepPage = await scoreList(database, traceScoreKind).page(project, {}, 3, 250);
  expect(deepPage).toMatchObject({ total: 260, items: scores.slice(7, 10).toReversed() });
});

test("totals are correct while scores are created, edited and deleted, however the stream is delivered", async () => {
  const [project_id, random] = [randomUUID(), seeded(3)];
  const trace_id = await storedTrace(database, project_id);
  const [creation, changes] = [scoreCreation(database), scoreChanges(database, traceScoreKind)];
  const list = scoreList(database, traceScoreKind);
  let model: TraceScore[] = [];
  const deliveries: DynamoDBRecord[] = [];
  let acknowledged = 0;
  for (let step = 0; step < 70; step += 1) {
    const chosenScore = model.length === 0 ? undefined : random.pick(model as [TraceScore]);
    if (chosenScore === undefined || random.chance(0.75)) {
      const at = instantAt(start + step * 60_000);
      const name = random.pick(["helpful", "polite"]);
      const score = someScore({ project_id, trace_id, name, created_at: at, updated_at: at });
      await creation.ofTrace(score);
      model.push(score);
    } else if (random.chance(0.5)) {
      const edited = { ...chosenScore, status: "FAILED" as const, value: null };
      await changes.edit(project_id, chosenScore.id, () => edited);
      model = model.map((score) => (score === chosenScore ? edited : score));
    } else {
      await changes.remove(project_id, chosenScore.id);
      model = model.filter((score) => score !== chosenScore);
    }
    deliveries.push(...(await records()));
    const begin = Math.max(0, acknowledged - random.between(0, 6));
    const batch = deliveries.slice(begin, begin + random.between(0, 10));
    await deliver(batch);
    acknowledged = Math.max(acknowledged, begin + batch.length);
    const [limit, offset] = [random.between(1, 8), random.between(0, 12)];
    const page = await list.page(project_id, {}, limit, offset);
    expect(page.items.map(({ id }) => id)).toEqual(
      matching(model, {})
        .slice(offset, offset + limit)
        .map(({ id }) => id),
    );
    const exact = offset + limit < model.length ? page.total : model.length;
    expect(page.total).toBe(exact);
  }
  await deliver(deliveries.slice(acknowledged));

  const numbers = countEstimates(database, "trace", Date.now);
  for (const filter of [{}, { name: "helpful" }, { status: "FAILED" as const }, { status: "SUCCESS" as const }])
    expect((await numbers(project_id, filter)).matching).toBe(matching(model, filter).length);
});

test("scores leave the totals on the day they expire", async () => {
  const [project, day] = [randomUUID(), 86_400];
  const expiresAt = Math.floor(Date.now() / 1000 / day) * day + 3 * day;
  await writeScores(database, scoresToWrite(project, 60), { expiresAt });
  await writeScores(database, scoresToWrite(project, 55));
  await follow();
  const totalAt = async (at: number): Promise<number> =>
    (await scoreList(database, traceScoreKind, () => at * 1000).page(project, {}, 1, 0)).total;

  expect(await totalAt(expiresAt - 1)).toBe(115);
  expect(await totalAt(expiresAt)).toBe(55);
});

test("the read cost of a default page does not grow with the number of scores", async () => {
  const costs: number[][] = [];
  for (const count of [200, 800]) {
    const project = randomUUID();
    await writeScores(database, scoresToWrite(project, count));
    await follow();
    const costsOfProject: number[] = [];
    for (const filter of [{}, { name: "polite" }, { status: "FAILED" as const }, { eval_run_id: run }]) {
      takeCapacity();
      await scoreList(database, traceScoreKind).page(project, filter, 50, 0);
      costsOfProject.push(takeCapacity().read);
    }
    costs.push(costsOfProject);
  }

  expect(costs[0]?.[0]).toBeLessThan(9);
  // The spread of scores over partitions is random: a page of four times as many scores costs less than twice as much.
  for (const [index, cost] of (costs[1] ?? []).entries()) expect(cost).toBeLessThan(2 * (costs[0]?.[index] ?? 0));
});

test("a page read in order ends at its maximum of reads, and is incomplete only then", async () => {
  const project = randomUUID();
  const scores = scoresToWrite(project, 120);
  await writeScores(database, scores);
  const matches = scoreQueries("trace", project, {}, Date.now(), false);
  if (matches === null) throw new Error("Every score matches.");
  const readPage = async (offset: number, maxReads?: number) => {
    let readCount = 0;
    const onRead = (items: number): void => void (readCount += items);
    const request = {
      limit: 50,
      offset,
      counterTotal: 120,
      sparseness: 1,
      onRead,
      ...(maxReads !== undefined && { maxReads }),
    };
    return { ...(await listPage(database, { table: "scores", ...matches }, request)), readCount };
  };

  const page = await readPage(0);
  expect(page.items).toHaveLength(50);
  expect(await readPage(0, page.readCount)).toEqual({ ...page, isComplete: true });
  for (const offset of [0, 90, 201]) {
    const shortPage = await readPage(offset, 20);
    expect(shortPage).toMatchObject({ isComplete: false });
    expect(shortPage.readCount).toBeLessThanOrEqual(20);
  }
});

test("a list that would read too many scores is refused before anything is read, a narrower range is not", async () => {
  const project = randomUUID();
  const scores = scoresToWrite(project, 300);
  await writeScores(database, scores);
  await follow();
  const list = scoreList(database, traceScoreKind, Date.now, 200);
  const refusal = (field: string, msg: string) => ({
    reason: { kind: "invalid", violations: [{ loc: ["query", field], msg, type: "too_many_rows" }] },
  });
  takeCapacity();

  await expect(list.page(project, { environment: "prod" }, 50, 0)).rejects.toMatchObject(
    refusal("date_from", "More than 200 scores would have to be read. Narrow date_from and date_to."),
  );
  await expect(list.page(project, {}, 50, 230)).rejects.toMatchObject(
    refusal("offset", expect.stringContaining("Send the previous page's next_cursor as cursor.")),
  );

  // The reads of the counters.
  expect(takeCapacity().calls).toBeLessThan(8);
  const date_from = instantAt(start + 86_400_000);
  const narrow = { environment: "prod", date_from };
  expect((await list.page(project, narrow, 50, 0)).total).toBe(matching(scores, narrow).length);
  expect(await list.page(project, { name: "nobody" }, 50, 0)).toEqual({ items: [], total: 0, last: null });
  expect((await list.page(project, {}, 50, 0)).total).toBe(300);
});

test("failed scores are listed by their own list, whatever the number of others", async () => {
  const project = randomUUID();
  const scores = scoresToWrite(project, 300);
  await writeScores(database, scores);
  await follow();
  const list = scoreList(database, traceScoreKind, Date.now, 200);
  await failedLists(database).scanFrom(true);
  const from = instantAt(start + 3_600_000);

  for (const filter of [{}, { name: "polite" }, { date_from: from }, { environment: "prod" }]) {
    const expected = matching(scores, { ...filter, status: "FAILED" });
    const first = await list.page(project, { ...filter, status: "FAILED" }, 3, 0);
    const second = await list.page(project, { ...filter, status: "FAILED" }, 3, 0, first.last);
    expect(first.total).toBe(expected.length);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(expected.slice(0, 6).map(({ id }) => id));
  }
  const [edited] = (await list.page(project, { status: "FAILED" }, 1, 0)).items;
  await scoreChanges(database, traceScoreKind).edit(project, edited?.id ?? "", (score) => ({
    ...score,
    status: "SUCCESS",
    value: "1",
  }));
  expect((await list.page(project, { status: "FAILED" }, 1, 0)).items).not.toContainEqual(
    expect.objectContaining({ id: edited?.id }),
  );
});

test("the scores and counters of a deleted project are erased", async () => {
  const project = randomUUID();
  await writeScores(database, scoresToWrite(project, 60));
  await follow();

  for (const erase of [eraseScores(database), eraseAggregates(database)])
    for await (const _ of erase(project)) continue;

  expect(await scoreList(database, traceScoreKind).page(project, {}, 1, 0)).toEqual({
    items: [],
    total: 0,
    last: null,
  });
  takeCapacity();
  for await (const items of eraseAggregates(database)(project)) expect(items).toBe(0);
});
