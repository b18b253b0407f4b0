import { randomUUID } from "node:crypto";
import type { InferOutput } from "valibot";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createMonitor, triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import {
  createSessionBatchRun,
  createSessionRun,
  deleteSessionRun,
  getSessionRun,
  listSessionRuns,
  listSessionRunScores,
  listSessionRunTargets,
  retrySessionRun,
} from "../../../lib/contract/runs/session-runs.ts";
import { getSessionScores, type sessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceRun, getTraceRun, listTraceRuns } from "../../../lib/contract/runs/trace-runs.ts";
import { createTraceScore, listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const metrics = ["agent_reliability", "agent_consistency"];
const signals = ["confidence", "coherence", "loop_detection", "tool_correctness"];

const storeTrace = async (client: Client, session_id: string, fields: object = {}): Promise<string> =>
  (await client.answer(createTrace, { body: someTrace({ session_id, ...fields }) })).trace_id;

/** Scores all signals of a trace as an annotator. */
const scoreSignals = async (
  client: Client,
  trace_id: string,
  values: Readonly<Record<string, string>>,
): Promise<void> => {
  for (const [name, value] of Object.entries(values)) {
    await client.answer(createTraceScore, { body: { trace_id, name, value } });
  }
};

const create = (client: Client, body: object = {}) => client.answer(createSessionRun, { body: { metrics, ...body } });

const scoresOf = async (client: Client, { id }: Pick<EvalRun, "id">): Promise<InferOutput<typeof sessionScore>[]> => {
  const scores = await client.answer(listSessionRunScores, { params: { run_id: id } });
  if (!Array.isArray(scores)) throw new Error("A page came back where a list was asked for.");
  return scores;
};

const valuesOf = async (client: Client, run: EvalRun): Promise<Readonly<Record<string, string | null>>> =>
  Object.fromEntries((await scoresOf(client, run)).map(({ name, value }) => [name, value]));

const automatedScores = (client: Client, run: EvalRun) =>
  client.answer(listTraceScores, { query: { eval_run_id: run.id, limit: 200 } });

describe("a run of sessions", () => {
  test("scores each session with each metric once, from the signals of its traces", async () => {
    const client = newProject(service);
    const trace = await storeTrace(client, "s");
    await scoreSignals(client, trace, {
      confidence: "0.9",
      loop_detection: "1",
      tool_correctness: "0.5",
      coherence: "0.8",
    });

    const reply = await client.call(createSessionRun, { body: { metrics, name: "nightly" } });
    const run = await endedRun(client, reply.body);

    expectStatus(reply, 202);
    expect(reply.body).toMatchObject({
      target_type: "SESSION",
      status: "PENDING",
      total_traces: 1,
      metric_names: metrics,
    });
    expect(run).toMatchObject({ status: "COMPLETED", evaluated_count: 1, failed_count: 0, name: "nightly" });
    expect(run.judge_usage.calls).toBe(0);
    expect(await valuesOf(client, run)).toEqual({ agent_reliability: "0.6", agent_consistency: "0.84" });
    expect(await client.answer(getSessionScores, { params: { score_id: "s" } })).toHaveLength(2);
  });

  test("is estimated by a dry run from the traces of its sessions", async () => {
    const client = newProject(service);
    await Promise.all([storeTrace(client, "s"), storeTrace(client, "s"), storeTrace(client, "t")]);

    const query = { dry_run: "true" };
    const filterEstimate = await client.call(createSessionRun, { query, body: { metrics } });
    const listEstimate = await client.call(createSessionBatchRun, { query, body: { metrics, session_ids: ["t"] } });

    expect([filterEstimate.status, listEstimate.status]).toEqual([200, 200]);
    expect(filterEstimate.body).toMatchObject({ targets: 2, cost_usd: 0 });
    expect(JSON.parse(filterEstimate.text).judge_calls).toBe(3 * JSON.parse(listEstimate.text).judge_calls);
    expect((await client.answer(listSessionRuns)).total).toBe(0);
  });

  test("applies the weights of the request, and does not return them", async () => {
    const client = newProject(service);
    const trace = await storeTrace(client, "s");
    await scoreSignals(client, trace, {
      confidence: "0.5",
      loop_detection: "0.8",
      tool_correctness: "0.9",
      coherence: "0.7",
    });
    const signal_weights = { confidence: 2, loop_detection: 0.5, tool_correctness: 0.1, coherence: 0.5 };

    const created = await client.call(createSessionRun, { body: { metrics, signal_weights } });
    const run = await endedRun(client, created.body);

    expect(await valuesOf(client, run)).toEqual({ agent_reliability: "0.0", agent_consistency: "0.0" });
    expect(created.text).not.toContain("weights");
    expect(run.filters).toEqual({});
  });

  test("computes missing signals, stores them as scores of the traces, and reuses them", async () => {
    const client = newProject(service);
    const ids = [
      await storeTrace(client, "s", { started_at: "2026-10-01T10:00:00Z" }),
      await storeTrace(client, "s", { started_at: "2026-10-01T11:00:00Z" }),
    ];
    await scoreSignals(client, ids[0] ?? "", { confidence: "0.25" });

    const first = await endedRun(client, await create(client));
    const second = await endedRun(client, await create(client));

    const signalScores = await eventually(async () => {
      const page = await automatedScores(client, first);
      return page.total === 7 ? page.items : undefined;
    });
    expect(signalScores.map(({ trace_id, name }) => `${trace_id} ${name}`).toSorted()).toEqual(
      ids
        .flatMap((id) => signals.map((name) => `${id} ${name}`))
        .filter((pair) => pair !== `${ids[0]} confidence`)
        .toSorted(),
    );
    expect(new Set(signalScores.map(({ source, status }) => `${source} ${status}`))).toEqual(
      new Set(["AUTOMATED SUCCESS"]),
    );
    expect(first.judge_usage.calls).toBeGreaterThan(0);
    expect(second.judge_usage.calls).toBe(0);
    expect((await automatedScores(client, second)).total).toBe(0);
    expect(await valuesOf(client, second)).toEqual(await valuesOf(client, first));
  });

  test("ignores scores that are not a number from 0 to 1", async () => {
    const client = newProject(service);
    const trace = await storeTrace(client, "s");
    const body = { trace_id: trace, name: "confidence" };
    await client.answer(createTraceScore, { body: { ...body, value: "very", data_type: "CATEGORICAL" } });
    await client.answer(createTraceScore, { body: { ...body, value: "7" } });

    const run = await endedRun(client, await create(client));

    const { items } = await automatedScores(client, run);
    expect(items.map(({ name }) => name).toSorted()).toEqual(signals.toSorted());
  });

  test("is in lists of session runs only, and can be read, retried and deleted like any run", async () => {
    const client = newProject(service);
    await storeTrace(client, "s");
    const run = await endedRun(client, await create(client));
    const traceRun = await client.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } });
    const params = { run_id: run.id };

    expect((await client.answer(listSessionRuns)).items.map(({ id }) => id)).toEqual([run.id]);
    expect((await client.answer(listTraceRuns)).items.map(({ id }) => id)).toEqual([traceRun.id]);
    expect(await client.answer(getTraceRun, { params })).toEqual(run);
    expect((await client.answer(getSessionRun, { params: { run_id: traceRun.id } })).target_type).toBe("TRACE");
    expectStatus(await client.call(retrySessionRun, { params }), 422);
    expectStatus(await client.call(deleteSessionRun, { params, query: { delete_scores: "true" } }), 204);
    expect((await client.call(getSessionRun, { params })).status).toBe(404);
    const remainingScores = await eventually(async () => {
      const scores = await client.answer(getSessionScores, { params: { score_id: "s" } });
      const ofTraces = await automatedScores(client, run);
      return scores.length + ofTraces.total === 0 ? 0 : undefined;
    });
    expect(remainingScores).toBe(0);
  });
});

describe("a batch run of sessions", () => {
  test("reports sessions that do not exist as missing, and a retry includes them again", async () => {
    const client = newProject(service);
    await storeTrace(client, "there");
    const body = { session_ids: ["there", "nowhere", "there"], metrics };
    const run = await endedRun(client, await client.answer(createSessionBatchRun, { body }));
    await storeTrace(client, "nowhere");

    const retry = await endedRun(client, await client.answer(retrySessionRun, { params: { run_id: run.id } }));

    expect(run).toMatchObject({
      status: "COMPLETED",
      total_targets: 2,
      failed_count: 2,
      filters: {},
      error_message: "1 of 2 sessions was not found.",
    });
    const { items } = await client.answer(listSessionRunTargets, { params: { run_id: run.id } });
    expect(items.map(({ target_id, state }) => [target_id, state])).toEqual([
      ["there", "settled"],
      ["nowhere", "not_found"],
    ]);
    expect(retry).toMatchObject({ status: "COMPLETED", total_targets: 1, failed_count: 0, retry_of: run.id });
  });

  test.each<readonly [object, readonly string[]]>([
    [{ metrics }, ["session_ids"]],
    [{ session_ids: [], metrics }, ["session_ids"]],
    [{ session_ids: [1, "s".repeat(256)], metrics }, ["session_ids.0", "session_ids.1"]],
    [{ session_ids: ["s"], metrics: ["confidence"] }, ["metrics"]],
    [
      { session_ids: ["s"], metrics, signal_weights: { confidence: -1, trust: 1 } },
      ["signal_weights.confidence", "signal_weights.trust"],
    ],
    [{ session_ids: ["s"], metrics, signal_weights: [] }, ["signal_weights"]],
    [{ session_ids: ["s"], metrics, signal_weights: { confidence: "1" } }, ["signal_weights.confidence"]],
  ])("%j is refused", async (body, fields) => {
    const reply = await newProject(service).call(createSessionBatchRun, { body });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(fields.map((field) => `body.${field}`));
  });
});

describe("the filters of a run of sessions", () => {
  const client = newProject(service);

  beforeAll(async () => {
    const at = (day: number) => ({ started_at: `2026-10-0${day}T10:00:00Z` });
    await storeTrace(client, "good", { ...at(1), user_id: "u", tags: ["a"] });
    await storeTrace(client, "good", { ...at(2), user_id: "v", tags: ["b"] });
    await storeTrace(client, "bad", { ...at(2), status: "ERROR", tags: ["b"] });
    await storeTrace(client, "bad", { ...at(3), user_id: "u" });
    const failedTool = { name: "lookup", kind: "TOOL", status: "ERROR", ...at(3) };
    await storeTrace(client, "short", { ...at(3), tags: ["c"], spans: [failedTool] });
    await client.answer(createTrace, { body: someTrace() });
  });

  test.each<readonly [object, readonly string[]]>([
    [{}, ["bad", "good", "short"]],
    [{ has_error: true }, ["bad"]],
    [{ has_error: false }, ["good", "short"]],
    [{ has_failed_span: true }, ["bad", "short"]],
    [{ has_failed_span: false }, ["good"]],
    [{ min_trace_count: 2 }, ["bad", "good"]],
    [{ min_trace_count: 2, user_id: "u" }, []],
    [{ user_id: "u" }, ["bad", "good"]],
    [{ tags: ["c", "a"] }, ["good", "short"]],
    [{ date_from: "2026-10-03", has_error: true }, []],
    [{ date_from: "2026-10-03" }, ["bad", "short"]],
    [{ date_to: "2026-10-02" }, ["good"]],
  ])("%j select the matching sessions", async (filters, expected) => {
    const created = await create(client, { filters, metrics: ["agent_reliability"] });
    const { items } = await client.answer(listSessionRunTargets, { params: { run_id: created.id } });

    expect(created).toMatchObject({ filters, total_targets: expected.length });
    expect(items.map(({ target_id }) => target_id).toSorted()).toEqual(expected);
  });

  test("let a monitor find the conversations in which a tool failed", async () => {
    const filters = { has_failed_span: true, has_error: false };
    const body = {
      name: "failed tools",
      target_type: "SESSION",
      metrics: ["agent_reliability"],
      cadence: "daily",
      filters,
    };
    const monitor = await client.answer(createMonitor, { body });
    const run = await client.answer(triggerMonitor, { params: { monitor_id: monitor.id } });
    const { items } = await client.answer(listSessionRunTargets, { params: { run_id: run.id } });

    expect(items.map(({ target_id }) => target_id)).toEqual(["short"]);
  });

  test("that match nothing create a run that completes at once", async () => {
    const run = await endedRun(client, await create(client, { filters: { user_id: randomUUID() } }));

    expect(run).toMatchObject({ status: "COMPLETED", error_message: "No sessions match the provided filters." });
  });

  test.each<readonly [object, readonly string[]]>([
    [{ status: "ERROR", name: "x", session_id: "s" }, ["status", "name", "session_id"]],
    [{ has_error: "true" }, ["has_error"]],
    [{ min_trace_count: 0 }, ["min_trace_count"]],
    [{ min_trace_count: 1.5 }, ["min_trace_count"]],
    [{ date_from: "yesterday" }, ["date_from"]],
  ])("%j are refused", async (filters, fields) => {
    const reply = await client.call(createSessionRun, { body: { metrics, filters } });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(fields.map((field) => `body.filters.${field}`));
  });

  test("are validated together with the metrics: trace metrics are refused for sessions", async () => {
    const reply = await client.call(createSessionRun, { body: { metrics: ["confidence", "x", "agent_reliability"] } });

    expectStatus(reply, 422);
    expect(reply.text).toMatch(/Unknown session metrics: confidence, x\. Known are: [^.]*\bagent_reliability\b/u);
  });
});
