import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { compareSessionScores, getSessionScoreHistory } from "../../../lib/contract/scores/session-analytics.ts";
import { createTraceRun, listTraceRunScores, listTraceRunTargets } from "../../../lib/contract/runs/trace-runs.ts";
import {
  createSessionRun,
  listSessionRunScores,
  listSessionRunTargets,
} from "../../../lib/contract/runs/session-runs.ts";
import {
  createSessionScore,
  getSessionScores,
  listSessionScores,
  updateSessionScore,
} from "../../../lib/contract/scores/session-scores.ts";
import {
  createTraceScore,
  getTraceScores,
  listTraceScores,
  updateTraceScore,
} from "../../../lib/contract/scores/trace-scores.ts";
import { tagTraces, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { newProject, type Client } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");

const storeTrace = async (client: Client, fields: object = {}): Promise<string> =>
  (await client.answer(createTrace, { body: someTrace(fields) })).trace_id;

const change = (client: Client, trace: string, body: object = { output: "Something else." }) =>
  client.answer(updateTrace, { params: { trace_id: trace }, body });

const staleIn = (reply: unknown): readonly unknown[] => {
  const items: unknown = Array.isArray(reply) ? reply : (reply as { readonly items: unknown }).items;
  return (items as { readonly stale: unknown }[]).map(({ stale }) => stale);
};

describe("a trace score", () => {
  test("is stale on every read once its trace has changed, but not after a change of tags", async () => {
    const client = newProject(service);
    const trace = await storeTrace(client);
    const newScore = await client.answer(createTraceScore, { body: { trace_id: trace, name: "mine", value: "1" } });
    const run = await endedRun(client, await client.answer(createTraceRun, { body: { metrics: ["step_efficiency"] } }));
    const staleFlags = async (): Promise<readonly unknown[]> => [
      ...staleIn(await client.answer(getTraceScores, { params: { score_id: trace } })),
      ...staleIn(await client.answer(listTraceScores)),
      ...staleIn(await client.answer(listTraceScores, { query: { trace_id: trace } })),
      ...staleIn(await client.answer(listTraceRunScores, { params: { run_id: run.id } })),
      ...staleIn(await client.answer(listTraceRunScores, { params: { run_id: run.id }, query: { limit: 5 } })),
      ...staleIn(await client.answer(listTraceRunTargets, { params: { run_id: run.id } })),
      (await client.answer(updateTraceScore, { params: { score_id: newScore.id }, body: {} })).stale,
    ];
    await eventually(async () => (await client.answer(listTraceScores)).items.length === 2 || undefined);

    const before = await staleFlags();
    await client.answer(tagTraces, { body: { trace_ids: [trace], add_tags: ["seen"] } });
    const tagged = await staleFlags();
    await change(client, trace);
    const changed = await staleFlags();

    expect(newScore).toMatchObject({ stale: false, trace_version: 1 });
    expect(before).toEqual(Array(10).fill(false));
    expect(tagged).toEqual(before);
    expect(changed).toEqual(Array(10).fill(true));
  });

  test("is stale when the start of its trace moved, and the start itself is not returned", async () => {
    const client = newProject(service);
    const [moved, stays] = [await storeTrace(client), await storeTrace(client)];
    for (const trace_id of [moved, stays]) {
      await client.answer(createTraceScore, { body: { trace_id, name: "mine", value: "1" } });
    }

    await storeTrace(client, { trace_id: moved, started_at: "2026-09-01T10:00:00Z" });

    const { items } = await client.answer(listTraceScores);
    expect(new Map(items.map((score) => [score.trace_id, score.stale]))).toEqual(
      new Map([
        [moved, true],
        [stays, false],
      ]),
    );
    const newScore = await client.answer(createTraceScore, { body: { trace_id: moved, name: "mine", value: "1" } });
    expect(newScore.stale).toBe(false);
    expect(JSON.stringify(items)).not.toContain("trace_started_at");
  });
});

describe("a session score", () => {
  test("is stale on every read once a trace of the session changed or was added, and lists the trace scores that it is computed from", async () => {
    const client = newProject(service);
    const session_id = `s ${randomUUID()}`;
    const trace = await storeTrace(client, { session_id });
    const mine = await client.answer(createSessionScore, { body: { session_id, name: "mine", value: "1" } });
    const metrics = ["agent_reliability"];
    const run = await endedRun(client, await client.answer(createSessionRun, { body: { metrics } }));
    const staleFlags = async (): Promise<readonly unknown[]> => [
      ...staleIn(await client.answer(getSessionScores, { params: { score_id: session_id } })),
      ...staleIn(await client.answer(listSessionScores)),
      ...staleIn(await client.answer(listSessionRunScores, { params: { run_id: run.id } })),
      ...staleIn(await client.answer(listSessionRunTargets, { params: { run_id: run.id } })),
      ...staleIn(await client.answer(getSessionScoreHistory, { params: { session_id } })),
      ...staleIn(await client.answer(compareSessionScores, { query: { metric_name: "agent_reliability" } })),
      (await client.answer(updateSessionScore, { params: { score_id: mine.id }, body: {} })).stale,
    ];
    await eventually(async () => ((await staleFlags()).length === 10 ? true : undefined));

    const before = await staleFlags();
    await change(client, trace);
    const changed = await staleFlags();
    const secondRun = await endedRun(client, await client.answer(createSessionRun, { body: { metrics } }));
    const scores = await client.answer(listSessionRunScores, { params: { run_id: secondRun.id } });
    await storeTrace(client, { session_id });
    const joined = staleIn(await client.answer(listSessionRunScores, { params: { run_id: secondRun.id } }));

    expect(mine).toMatchObject({ stale: false, signals: null });
    expect(before).toEqual(Array(10).fill(false));
    expect(changed).toEqual(Array(10).fill(true));
    expect(staleIn(scores)).toEqual([false]);
    expect(joined).toEqual([true]);
    // The rewritten trace was judged again.
    expect(secondRun.judge_usage.calls).toBeGreaterThan(0);
    const [score] = Array.isArray(scores) ? scores : scores.items;
    const signals = score?.signals ?? null;
    const traceScores = await client.answer(listTraceScores, { query: { eval_run_id: secondRun.id } });
    expect(signals).toHaveLength(traceScores.items.filter(({ applicable }) => applicable === true).length);
    for (const signal of signals ?? []) {
      const score = traceScores.items.find(({ id }) => id === signal.score_id);
      expect(signal).toEqual({
        trace_id: trace,
        trace_version: 2,
        name: score?.name,
        value: Number(score?.value),
        score_id: score?.id,
        source: "AUTOMATED",
        judge: score?.judge?.id,
        model: `${score?.judge?.provider}/${score?.judge?.model}`,
        prompt_version: score?.metadata["prompt_version"],
      });
    }
  });
});
