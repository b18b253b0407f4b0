import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { RunTarget } from "../../../lib/domain/runs/run.ts";
import { judgeIdentity } from "../../../lib/domain/scores/score.ts";
import { signalModelFilter } from "../../../lib/evaluation/slices/session-targets.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { someScore } from "../../support/scores.ts";
import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import type { SessionScore, TraceScore } from "../../../lib/domain/scores/score.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { withoutFairShare } from "../../support/runs/without-fair-share.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { withoutCeilings } from "../../support/runs/without-ceilings.ts";
import { settling } from "./run-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const metrics = ["agent_reliability", "agent_consistency"];

/** A run of one session. @param traces stored traces of the session. @param seenTraces number of traces at the creation of the run. */
const createSessionRun = async (traces: number, seenTraces = traces, orderedMetrics: readonly string[] = metrics) => {
  const [projectId, session_id] = [randomUUID(), `session ${randomUUID()}`];
  const ids: string[] = [];
  for (let index = 0; index < traces; index += 1) {
    const trace = someTrace({ session_id, started_at: instantAt(Date.parse("2026-10-01") + index * 1000) });
    await traceStore(database, 0).save(projectId, trace);
    ids.push(trace.trace_id);
  }
  const createdAt = Date.now();
  const order = someOrder({
    projectId,
    metrics: orderedMetrics,
    targetType: "SESSION",
    total: 1,
    createdAt: instantAt(createdAt),
  });
  const target: RunTarget = { id: session_id, metrics: null, traces: seenTraces };
  await runCreation(database)(order, [target]);
  const runs = runStore(database);
  const runRecord = await runs.read(projectId, order.id);
  const [slice] = await runs.slices(projectId, order.id, runRecord?.attempt ?? "");
  const message = { project: projectId, run: order.id, slice: slice?.slice.id ?? "" };
  return { projectId, order, ids, message, createdAt, run: () => runs.get(projectId, order.id) };
};

const deliver = (judge: Judge, message: Awaited<ReturnType<typeof createSessionRun>>["message"], now: () => number) =>
  sliceEvaluation({
    runs: runStore(database, now),
    slices: sliceStore(database, now),
    settlement: settling(database, now),
    runInTurn: withoutFairShare,
    targets: targetsOf(database, judge, now),
    judge,
    spending: withoutCeilings(database, now),
    calls: 4,
    now,
  })(message, now() + 175_000);

/** A judge whose calls each take so many milliseconds of a simulated clock. */
const slowJudge = (milliseconds: number, start: number) => {
  let at = start;
  const judgedPairs: string[] = [];
  const earlierTraceCounts = new Map<string, number>();
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: (request) => ({
      score: async (metric) => {
        at += milliseconds;
        judgedPairs.push(`${request.trace.trace_id} ${metric}`);
        const before = (request.earlierTraces?.length ?? 0) + (request.omittedTraceCount ?? 0);
        if (metric === "loop_detection") earlierTraceCounts.set(request.trace.trace_id, before);
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
      },
    }),
  };
  return {
    judge,
    judgedPairs,
    earlierTraceCounts,
    now: () => at,
    pass: (until: number) => {
      at = Math.max(at, until);
    },
  };
};

test("a custom metric gets all traces of a session in one transcript, oldest first, beside a computed session metric", async () => {
  const session = await createSessionRun(3, 3, ["agent_reliability", "calm@2"]);
  const judgeCalls: { readonly metric: string; readonly steps: readonly string[] }[] = [];
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: async (metric) => {
        const steps = trace.spans.flatMap(({ span_id: id, kind }) => (kind === "AGENT" ? [id] : []));
        if (metric === "calm@2") judgeCalls.push({ metric, steps });
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
      },
    }),
  };
  await deliver(judge, session.message, Date.now);
  const run = await session.run();
  const scores: SessionScore[] = [];
  const sessionRunScores = runScores(database, sessionScoreKind);
  for await (const score of sessionRunScores.indexed(session.projectId, session.order.id)) scores.push(score);

  expect(judgeCalls).toEqual([{ metric: "calm@2", steps: expect.arrayContaining(session.ids) }]);
  expect([run?.status, run?.scored]).toEqual(["COMPLETED", 2]);
  expect(scores.map(({ name, metadata }) => [name, metadata["metric_version"] ?? null]).toSorted()).toEqual([
    ["agent_reliability", null],
    ["calm", 2],
  ]);
});

test("a session that is too large for one delivery is continued by the next one, and no signal is judged twice", async () => {
  const session = await createSessionRun(40);
  const clock = slowJudge(2_000, session.createdAt + 60_000);
  let deliveries = 0;
  for (
    let result: SliceResult = { kind: "later", at: 0 };
    result.kind === "later" && deliveries < 20;
    deliveries += 1
  ) {
    clock.pass(result.at);
    result = await deliver(clock.judge, session.message, clock.now);
  }

  expect(deliveries).toBeGreaterThan(2);
  expect(clock.judgedPairs.length).toBe(160);
  expect(new Set(clock.judgedPairs).size).toBe(160);
  expect(session.ids.map((id) => clock.earlierTraceCounts.get(id))).toEqual(session.ids.map((_, index) => index));
  expect(await session.run()).toMatchObject({ status: "COMPLETED", scored: 2, failed: 0 });
  const scores: SessionScore[] = [];
  for await (const score of runScores(database, sessionScoreKind).indexed(session.projectId, session.order.id)) {
    scores.push(score);
  }
  expect(new Set(scores.map(({ session_version }) => session_version?.slice(0, 3)))).toEqual(new Set(["40-"]));
  expect(scores.map(({ judge, applicable }) => [judge?.provider, judge?.model, applicable]).toSorted()).toEqual(
    metrics.toSorted().map((metric) => ["assay", metric, true]),
  );
});

test("a session whose index lacks known traces is delivered again later, but only until the index must be complete", async () => {
  const session = await createSessionRun(2, 3);
  const clock = slowJudge(0, session.createdAt);

  const earlyResult = await deliver(clock.judge, session.message, clock.now);
  clock.pass(session.createdAt + 60_000);
  const lateResult = await deliver(clock.judge, session.message, clock.now);

  expect(earlyResult).toEqual({ kind: "later", at: session.createdAt + 5_000 });
  expect(lateResult).toEqual({ kind: "over" });
  expect(await session.run()).toMatchObject({ status: "COMPLETED", scored: 2 });
});

test("a session that was deleted after the creation of the run is missing", async () => {
  const session = await createSessionRun(2);
  for (const id of session.ids) await deleteTrace(database, session.projectId, id);
  const clock = slowJudge(0, session.createdAt + 60_000);

  const result = await deliver(clock.judge, session.message, clock.now);

  expect(result).toEqual({ kind: "over" });
  expect(clock.judgedPairs).toEqual([]);
  expect(await session.run()).toMatchObject({ status: "FAILED", missing: 1, failed: 2 });
});

test("a score is reused as a signal if it is of the current version and by the run's model; a person's score always is", async () => {
  const session = await createSessionRun(1);
  const [trace = ""] = session.ids;
  const judgedBy = (model: string | null, version: number) => ({
    trace_version: version,
    trace_started_at: null,
    ...(model !== null && { source: "AUTOMATED" as const, judge: judgeIdentity(model, "0123456789ab") }),
  });
  const located = await traceReader(database).locate(session.projectId, trace);
  if (located === null) throw new Error("There is no such trace.");
  const { incarnation, version } = located.row;
  const storeScore = async (name: string, fields: object, life = incarnation): Promise<string> => {
    const score = someScore({ project_id: session.projectId, trace_id: trace, name, value: "0.75", ...fields });
    for (const Item of scoreItems(score, { incarnation: life, expiresAt: null })) {
      await database.client.send(new PutCommand({ TableName: database.table("scores"), Item }));
    }
    return score.id;
  };
  const personScoreId = await storeScore("confidence", judgedBy(null, version - 1));
  await storeScore("tool_correctness", judgedBy("openai/another", version));
  const coherenceScoreId = await storeScore("coherence", judgedBy("openai/embeddings", version));
  await storeScore("loop_detection", judgedBy("openai/embeddings", version - 1));
  // An older one, one of an earlier trace with the id, and a failure of another run.
  await storeScore("coherence", { ...judgedBy("openai/embeddings", version), created_at: "2026-01-01T00:00:00+00:00" });
  await storeScore("loop_detection", judgedBy("openai/embeddings", version), "earlier");
  await storeScore("loop_detection", { status: "FAILED", value: null, eval_run_id: randomUUID() });
  const run = { projectId: session.projectId, runId: session.order.id };
  const signalNames = ["confidence", "tool_correctness", "coherence", "loop_detection"] as const;
  const knownSignals = async (model: string | null, resolvedModel = "openai/mine") =>
    [
      ...(await signalScores(database).of(
        { ...run, acceptsModel: signalModelFilter({ ...session.order, model, resolvedModel }) },
        { traceId: trace, incarnation, contentVersion: version },
        signalNames,
      )),
    ].map(([name, signal]) => `${name} ${signal?.score_id}`);

  const knownToMine = await knownSignals("mine");
  expect(knownToMine.toSorted()).toEqual([`coherence ${coherenceScoreId}`, `confidence ${personScoreId}`]);
  expect((await knownSignals(null)).map((text) => text.split(" ")[0]).toSorted()).toEqual([
    "coherence",
    "confidence",
    "tool_correctness",
  ]);
  expect(await knownSignals("openai/another", "openai/another")).toHaveLength(3);
  // A score of the offline word count is not reused with a real judge, nor the other way round.
  expect(await knownSignals("offline/rules", "offline/rules")).toEqual([`confidence ${personScoreId}`]);
});

test("a person's score is the signal before later ones of the judge about the same content, however many there are", async () => {
  const [projectId, trace] = [randomUUID(), randomUUID()];
  const score = (name: string, minute: number, content_version: number, source: TraceScore["source"]) =>
    someScore({
      project_id: projectId,
      trace_id: trace,
      name,
      source,
      value: source === "ANNOTATION" ? "0.25" : "0.75",
      trace_version: content_version,
      content_version,
      created_at: instantAt(Date.parse("2026-10-01") + minute * 60_000),
    });
  const scores = [
    score("confidence", 0, 2, "ANNOTATION"),
    score("coherence", 0, 1, "ANNOTATION"),
    ...Array.from({ length: 30 }, (_, place) => score("confidence", place + 1, 2, "AUTOMATED")),
    score("coherence", 40, 2, "AUTOMATED"),
  ];
  for (const each of scores) {
    const [, Item] = scoreItems(each, { incarnation: "i", expiresAt: null });
    await database.client.send(new PutCommand({ TableName: database.table("scores"), Item }));
  }
  const reader = { projectId, runId: randomUUID(), acceptsModel: () => true };

  const names = ["confidence", "coherence"] as const;
  const target = { traceId: trace, incarnation: "i", contentVersion: 2 };
  const { signals, isComplete } = await signalScores(database).amongNewest(reader, target, names, 400);

  expect(names.map((name) => signals.get(name)?.value)).toEqual([0.25, 0.75]);
  expect(isComplete).toBe(true);
});

test("the newest scores of a trace are read page by page, up to the limit", async () => {
  const [projectId, trace] = [randomUUID(), randomUUID()];
  const scores = Array.from({ length: 60 }, (_, place) =>
    someScore({
      project_id: projectId,
      trace_id: trace,
      name: place < 2 ? "first" : place === 59 ? "last" : `other ${place}`,
      value: "0.75",
      created_at: instantAt(Date.parse("2026-10-01") + place * 1000),
    }),
  );
  for (const score of scores) {
    const [, Item] = scoreItems(score, { incarnation: "i", expiresAt: null });
    await database.client.send(new PutCommand({ TableName: database.table("scores"), Item }));
  }
  const readSignal = async (name: string, maxScores: number) => {
    const watched = watchedDatabase(database);
    const reader = { projectId, runId: randomUUID(), acceptsModel: () => true };
    const target = { traceId: trace, incarnation: "i", contentVersion: 1 };
    const { signals, isComplete } = await signalScores(watched).amongNewest(reader, target, [name], maxScores);
    return [signals.get(name)?.score_id, isComplete, watched.calls.map(({ input }) => input["Limit"])];
  };

  expect(await readSignal("last", 400)).toEqual([scores[59]?.id, true, [25]]);
  expect(await readSignal("first", 400)).toEqual([scores[1]?.id, true, [25, 100]]);
  expect(await readSignal("first", 40)).toEqual([undefined, false, [25, 15]]);
  expect(await readSignal("none", 400)).toEqual([undefined, true, [25, 100]]);
});
