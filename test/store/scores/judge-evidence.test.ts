import { randomUUID } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { automatedScoreId } from "../../../lib/domain/scores/automated-score.ts";
import { judgeIdentity } from "../../../lib/domain/scores/score.ts";
import { editScore } from "../../../lib/domain/scores/edit.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import {
  countedFact,
  scoreItems,
  sessionScoreItems,
  unpackScore,
  unpackSessionScore,
} from "../../../lib/store/scores/codec.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { statisticsCheck } from "../../../lib/store/scores/statistics-check.ts";
import { scoreSummaries } from "../../../lib/store/scores/summaries.ts";
import { scoreStatistics } from "../../../lib/store/scores/statistics.ts";
import { scoreChange, scoreFilters } from "../../../lib/stream/score-change.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream } from "../../support/database/table-stream.ts";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { someScore, someSessionScore } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
});
afterAll(() => database.close());

const later = "2026-11-21T10:00:00+00:00";
const lifetime = { incarnation: "life", expiresAt: null };
const place = { project_id: randomUUID(), trace_id: randomUUID() };

/** A judge's score of a metric, with five citations of two spans. */
const judgedScore = (overrides: Partial<TraceScore> = {}): TraceScore => {
  const spans = [randomUUID(), randomUUID()];
  const quotes = [1, 2, 3, 4, 5].map((line) => `Line ${line} of what the customer wrote about the order`);
  return someScore({
    ...place,
    name: "task_completion",
    value: "0.75",
    source: "AUTOMATED",
    reason: "The order was found and its state told. When it arrives was asked as well, and was not answered.",
    metadata: {
      model: "openai/gpt-5.4-mini",
      prompt_version: "1f0c9a7be322",
      tokens: { prompt: 4211, completion: 187, cached: 3968, written: 0 },
      cost_usd: 0.00123,
      attempts: 1,
      latency_ms: 2114,
      coverage: { shown_characters: 16211, total_characters: 16211, ratio: 1 },
      trace_version: 3,
      task: "Find out where order ORD-1 is and when it arrives.",
      outcome: "The agent looked the order up and told that it was shipped.",
      evidence: quotes,
      threshold: 0.5,
      success: true,
    },
    eval_run_id: randomUUID(),
    environment: "production",
    judge: judgeIdentity("openai/gpt-5.4-mini", "1f0c9a7be322"),
    evidence: quotes.map((quote, index) => ({ span_id: spans[index % 2] ?? null, quote })),
    evidence_dropped: 0,
    trace_version: 3,
    ...overrides,
  });
};

/** Stores scores without a check of their trace. */
const storeScores = async (...scores: readonly TraceScore[]) => {
  const TransactItems = scores.flatMap((score) =>
    scoreItems(score, lifetime).map((Item) => ({ Put: { TableName: database.table("scores"), Item } })),
  );
  await database.client.send(new TransactWriteCommand({ TransactItems }));
};

/** Size of an item as DynamoDB counts it, bytes, for text and binary attributes. */
const sizeOf = (item: object): number =>
  Object.entries(item).reduce(
    (sum, [name, value]: [string, unknown]) =>
      value === undefined
        ? sum
        : sum + name.length + (typeof value === "string" ? Buffer.byteLength(value) : (value as Buffer).length),
    0,
  );

describe("the judge and the evidence of a score", () => {
  test("are read as they were stored, of traces and of sessions", () => {
    const unchangedScore = judgedScore({ span_id: randomUUID() });
    const score = editScore(unchangedScore, { value: "1", metadata: {} }, "u", later);
    const {
      trace_id,
      environment: _,
      config_id: __,
      span_id: ___,
      trace_version,
      content_version: _____,
      trace_started_at: ____,
      ...sharedFields
    } = judgedScore();
    const run = sharedFields.eval_run_id ?? "";
    const signal = {
      trace_id,
      trace_version,
      name: "confidence",
      value: 0.5,
      score_id: automatedScoreId(run, trace_id, "confidence"),
      source: "AUTOMATED",
      judge: "openai/gpt-5.4-mini#1f0c9a7be322",
      model: "openai/gpt-5.4-mini",
      prompt_version: "0123456789ab",
    } as const;
    const byPerson = {
      source: "ANNOTATION",
      judge: null,
      model: null,
      prompt_version: null,
      trace_version: null,
    } as const;
    const signals = [
      signal,
      { ...signal, name: "coherence", score_id: randomUUID() },
      { ...signal, ...byPerson, trace_id: randomUUID(), score_id: randomUUID() },
    ];
    const session = someSessionScore({
      ...sharedFields,
      session_id: "chat",
      session_version: "2-0123456789ab",
      signals,
    });

    expect([unchangedScore, score].map((each) => unpackScore(scoreItems(each, lifetime)[0].d))).toEqual([
      unchangedScore,
      score,
    ]);
    expect(unpackSessionScore(sessionScoreItems(session, null)[1].d)).toEqual(session);
  });

  test("are readable in a score of a later version", () => {
    const score = someScore(place);
    const fields = JSON.parse(inflateRawSync(scoreItems(score, lifetime)[0].d).toString()) as unknown[];
    const packed = (packedFields: readonly unknown[]) => deflateRawSync(JSON.stringify(packedFields));

    expect(unpackScore(packed([...fields.slice(0, 16), { later: [1] }, "more"]))).toEqual({
      ...score,
      applicable: null,
    });
  });

  test("take few bytes beside the metadata with the same content", () => {
    const size = (score: TraceScore) => sizeOf(scoreItems(score, { ...lifetime, incarnation: "a".repeat(22) })[0]);
    const score = judgedScore();
    const without = { ...score, judge: null, applicable: null, trace_version: null };

    const withoutJudge = size({ ...without, evidence: null, evidence_dropped: null });
    const [withJudge, withEvidence] = [size({ ...score, evidence: null, evidence_dropped: null }), size(score)];

    expect(withoutJudge).toBeLessThan(1_000);
    expect(withJudge - withoutJudge).toBeLessThan(35);
    // The random ids of two spans take 40 bytes of the difference.
    expect(withEvidence - withJudge).toBeLessThan(85);
  });

  test("are kept when a person edits the score and replaces its metadata", async () => {
    const score = judgedScore();
    await storeScores(score);
    const changes = scoreChanges(database, traceScoreKind);
    const edit = (fields: Parameters<typeof editScore>[1]) =>
      changes.edit(place.project_id, score.id, (currentScore) => editScore(currentScore, fields, "u", later));

    await edit({ value: "0.5", metadata: { mine: true } });
    const edited = await edit({ reason: "Seen twice." });

    const { judge, evidence, evidence_dropped, trace_version } = score;
    expect(edited).toMatchObject({ metadata: { mine: true }, judge, evidence, evidence_dropped, trace_version });
    const { value, reason } = score;
    expect(edited?.original).toMatchObject({ value, reason, source: "AUTOMATED", judge: judge?.id });
  });
});

describe("a score that does not apply", () => {
  const inapplicable = { applicable: false, inapplicable_code: "no_plan", value: "1.0" } as const;

  test("is counted separately in sums, partial hours and checks, until a person gives it a value", async () => {
    const project_id = randomUUID();
    const sharedFields = { project_id, trace_id: randomUUID(), name: "plan_quality", source: "AUTOMATED" } as const;
    const [inapplicableScore, applicableScore] = [
      someScore({ ...sharedFields, ...inapplicable }),
      someScore({ ...sharedFields, value: "0.5" }),
    ];
    const otherMetricScore = someScore({ ...sharedFields, ...inapplicable, name: "plan_adherence", created_at: later });
    const readRecords = await tableStream(database, "scores");
    const { fold } = scoreStatistics(database);
    const follow = async () => {
      const records = (await readRecords()).filter((record) => passesFilters(record, scoreFilters));
      await fold("shard", records.map(scoreChange));
    };
    const summaries = (range: { date_from?: string } = {}) =>
      scoreSummaries(database, traceScoreKind)(project_id, range);
    const hour = { project: project_id, target: "trace", hour: "2026-11-21T09" } as const;
    await follow();
    await storeScores(inapplicableScore, applicableScore, otherMetricScore);
    await follow();

    const [allSummaries, partOfHour] = [
      await summaries(),
      await summaries({ date_from: "2026-11-21T09:00:00.000001+00:00" }),
    ];
    const differs = await statisticsCheck(database).check(hour, Number.POSITIVE_INFINITY);
    await scoreChanges(database, traceScoreKind).edit(project_id, inapplicableScore.id, (score) =>
      editScore(score, { value: "1" }, "u", later),
    );
    await follow();
    const edited = await summaries();

    expect(allSummaries).toMatchObject([
      { metric_name: "plan_adherence", avg_score: null, success_count: 0, inapplicable_count: 1 },
      { metric_name: "plan_quality", avg_score: 0.5, success_count: 1, inapplicable_count: 1 },
    ]);
    expect(partOfHour).toEqual(allSummaries);
    expect(differs).toBe(false);
    expect(edited).toMatchObject([
      { metric_name: "plan_adherence", inapplicable_count: 1 },
      { metric_name: "plan_quality", avg_score: 0.75, success_count: 2, inapplicable_count: 0 },
    ]);
    expect((await scoreFigures(database, traceScoreKind).newest(project_id, {})) ?? "").toBe(
      otherMetricScore.created_at,
    );
  });

  test("is stored with its value", () => {
    const [item] = scoreItems(someScore({ ...place, ...inapplicable }), lifetime);

    expect(Number(item.x)).toBe(1);
    expect(item.st).toBe("SUCCESS");
  });

  test("is counted in no statistic if its metric has categories either", () => {
    const category = { ...inapplicable, value: "", data_type: "CATEGORICAL" } as const;
    const [item] = scoreItems(someScore({ ...place, ...category }), lifetime);

    const [applicableItem] = scoreItems(someScore({ ...place, ...category, applicable: true }), lifetime);

    expect(countedFact(item)).toMatchObject({ inapplicable: true });
    expect(countedFact(applicableItem)).toEqual({
      value: null,
      category: "",
      inapplicable: false,
      ruleBased: false,
    });
  });

  test("is not used as a signal of its session, nor is an older score of the same metric", async () => {
    const sharedFields = {
      project_id: randomUUID(),
      trace_id: randomUUID(),
      source: "AUTOMATED",
      trace_version: 1,
    } as const;
    await storeScores(
      someScore({ ...sharedFields, name: "coherence", value: "0.5" }),
      someScore({ ...sharedFields, name: "coherence", ...inapplicable, created_at: later }),
      someScore({ ...sharedFields, name: "confidence", value: "0.25" }),
    );

    const trace = { traceId: sharedFields.trace_id, incarnation: lifetime.incarnation, contentVersion: 1 };
    const reader = { projectId: sharedFields.project_id, runId: "run", acceptsModel: () => true };
    const signals = await signalScores(database).of(reader, trace, ["coherence", "confidence"]);

    expect([...signals].map(([name, signal]) => [name, signal?.value ?? null])).toEqual([
      ["coherence", null],
      ["confidence", 0.25],
    ]);
  });
});
