import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { RunTarget } from "../../../lib/domain/runs/run.ts";
import { judgeIdentity } from "../../../lib/domain/scores/judge-identity.ts";
import { takenBy } from "../../../lib/evaluation/slices/session-targets.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { someScore } from "../../support/scores.ts";
import { sliceEvaluation, type SliceResult } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import type { SessionScore } from "../../../lib/domain/scores/score.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { alone } from "../../support/runs/alone.ts";
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

/** A run of one session. @param seen traces that it is said to have. */
const sessionRun = async (traces: number, seen = traces, asked: readonly string[] = metrics) => {
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
    metrics: asked,
    targetType: "SESSION",
    total: 1,
    createdAt: instantAt(createdAt),
  });
  const target: RunTarget = { id: session_id, metrics: null, traces: seen };
  await runCreation(database)(order, [target]);
  const runs = runStore(database);
  const stored = await runs.read(projectId, order.id);
  const [slice] = await runs.slices(projectId, order.id, stored?.attempt ?? "");
  const message = { project: projectId, run: order.id, slice: slice?.slice.id ?? "" };
  return { projectId, order, ids, message, createdAt, run: () => runs.get(projectId, order.id) };
};

const deliver = (judge: Judge, message: Awaited<ReturnType<typeof sessionRun>>["message"], now: () => number) =>
  sliceEvaluation({
    runs: runStore(database, now),
    slices: sliceStore(database, now),
    settlement: settling(database, now),
    inTurn: alone,
    targets: targetsOf(database, judge, now),
    judge,
    spending: withoutCeilings(database, now),
    calls: 4,
    now,
  })(message, now() + 175_000);

/** A judge whose calls take time on a clock of their own. */
const slowJudge = (milliseconds: number, start: number) => {
  let at = start;
  const asked: string[] = [];
  const earlier = new Map<string, number>();
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: (request) => ({
      score: async (metric) => {
        at += milliseconds;
        asked.push(`${request.trace.trace_id} ${metric}`);
        const before = (request.earlier?.length ?? 0) + (request.earlierOmitted ?? 0);
        if (metric === "loop_detection") earlier.set(request.trace.trace_id, before);
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
      },
    }),
  };
  return {
    judge,
    asked,
    earlier,
    now: () => at,
    pass: (until: number) => {
      at = Math.max(at, until);
    },
  };
};

test("a metric of the project's own sees a session's traces in one record, oldest first, beside what is reckoned", async () => {
  const session = await sessionRun(3, 3, ["agent_reliability", "calm@2"]);
  const seen: { readonly metric: string; readonly steps: readonly string[] }[] = [];
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: async (metric) => {
        const steps = trace.spans.flatMap(({ span_id: id, kind }) => (kind === "AGENT" ? [id] : []));
        if (metric === "calm@2") seen.push({ metric, steps });
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
      },
    }),
  };
  await deliver(judge, session.message, Date.now);
  const run = await session.run();
  const scores: SessionScore[] = [];
  const all = runScores(database, sessionScores);
  for await (const score of all.indexed(session.projectId, session.order.id)) scores.push(score);

  expect(seen).toEqual([{ metric: "calm@2", steps: expect.arrayContaining(session.ids) }]);
  expect([run?.status, run?.scored]).toEqual(["COMPLETED", 2]);
  expect(scores.map(({ name, metadata }) => [name, metadata["metric_version"] ?? null]).toSorted()).toEqual([
    ["agent_reliability", null],
    ["calm", 2],
  ]);
});

test("a session too large for one delivery goes on where the last one ended, and pays for no signal twice", async () => {
  const session = await sessionRun(40);
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
  expect(clock.asked.length).toBe(160);
  expect(new Set(clock.asked).size).toBe(160);
  expect(session.ids.map((id) => clock.earlier.get(id))).toEqual(session.ids.map((_, index) => index));
  expect(await session.run()).toMatchObject({ status: "COMPLETED", scored: 2, failed: 0 });
  const scores: SessionScore[] = [];
  for await (const score of runScores(database, sessionScores).indexed(session.projectId, session.order.id)) {
    scores.push(score);
  }
  expect(new Set(scores.map(({ session_version }) => session_version?.slice(0, 3)))).toEqual(new Set(["40-"]));
  expect(scores.map(({ judge, applicable }) => [judge?.provider, judge?.model, applicable]).toSorted()).toEqual(
    metrics.toSorted().map((metric) => ["assay", metric, true]),
  );
});

test("a session whose index lacks traces that were seen is looked at again, and not for ever", async () => {
  const session = await sessionRun(2, 3);
  const clock = slowJudge(0, session.createdAt);

  const early = await deliver(clock.judge, session.message, clock.now);
  clock.pass(session.createdAt + 60_000);
  const late = await deliver(clock.judge, session.message, clock.now);

  expect(early).toEqual({ kind: "later", at: session.createdAt + 5_000 });
  expect(late).toEqual({ kind: "over" });
  expect(await session.run()).toMatchObject({ status: "COMPLETED", scored: 2 });
});

test("a session that was deleted after the run was made is missing", async () => {
  const session = await sessionRun(2);
  for (const id of session.ids) await deleteTrace(database, session.projectId, id);
  const clock = slowJudge(0, session.createdAt + 60_000);

  const result = await deliver(clock.judge, session.message, clock.now);

  expect(result).toEqual({ kind: "over" });
  expect(clock.asked).toEqual([]);
  expect(await session.run()).toMatchObject({ status: "FAILED", missing: 1, failed: 2 });
});

test("a signal is reused of the trace as it is and by the model that the run names, and what a person said always is", async () => {
  const session = await sessionRun(1);
  const [trace = ""] = session.ids;
  const judgedBy = (model: string | null, version: number) => ({
    trace_version: version,
    trace_started_at: null,
    ...(model !== null && { source: "AUTOMATED" as const, judge: judgeIdentity(model, "0123456789ab") }),
  });
  const located = await traceReader(database).locate(session.projectId, trace);
  if (located === null) throw new Error("There is no such trace.");
  const { incarnation, version } = located.row;
  const stored = async (name: string, given: object): Promise<string> => {
    const score = someScore({ project_id: session.projectId, trace_id: trace, name, value: "0.75", ...given });
    for (const Item of scoreItems(score, { incarnation, expiresAt: null })) {
      await database.client.send(new PutCommand({ TableName: database.table("scores"), Item }));
    }
    return score.id;
  };
  const person = await stored("confidence", judgedBy(null, version - 1));
  await stored("tool_correctness", judgedBy("openai/another", version));
  const own = await stored("coherence", judgedBy("openai/embeddings", version));
  await stored("loop_detection", judgedBy("openai/embeddings", version - 1));
  const run = { projectId: session.projectId, runId: session.order.id };
  const asked = ["confidence", "tool_correctness", "coherence", "loop_detection"] as const;
  const known = async (model: string | null, resolvedModel = "openai/mine") =>
    [
      ...(await signalScores(database).of(
        { ...run, takes: takenBy({ ...session.order, model, resolvedModel }) },
        { traceId: trace, incarnation, contentVersion: version },
        asked,
      )),
    ].map(([name, signal]) => `${name} ${signal?.score_id}`);

  const named = await known("mine");
  expect(named.toSorted()).toEqual([`coherence ${own}`, `confidence ${person}`]);
  expect((await known(null)).map((text) => text.split(" ")[0]).toSorted()).toEqual([
    "coherence",
    "confidence",
    "tool_correctness",
  ]);
  expect(await known("openai/another", "openai/another")).toHaveLength(3);
  // A word count stands beside no real judge, nor the other way round.
  expect(await known("offline/rules", "offline/rules")).toEqual([`confidence ${person}`]);
});

test("of a trace with many scores the newest are looked at, page by page and no more than are asked for", async () => {
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
  const found = async (name: string, most: number) => {
    const watched = watchedDatabase(database);
    const reader = { projectId, runId: randomUUID(), takes: () => true };
    const place = { traceId: trace, incarnation: "i", contentVersion: 1 };
    const { known, whole } = await signalScores(watched).among(reader, place, [name], most);
    return [known.get(name)?.score_id, whole, watched.calls.map(({ input }) => input["Limit"])];
  };

  expect(await found("last", 400)).toEqual([scores[59]?.id, true, [25]]);
  expect(await found("first", 400)).toEqual([scores[1]?.id, true, [25, 100]]);
  expect(await found("first", 40)).toEqual([undefined, false, [25, 15]]);
  expect(await found("none", 400)).toEqual([undefined, true, [25, 100]]);
});
