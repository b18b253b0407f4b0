import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import {
  createTraceBatchRun,
  createTraceRun,
  listTraceRuns,
  listTraceRunScores,
  listTraceRunTargets,
  retryTraceRun,
} from "../../../lib/contract/runs/trace-runs.ts";
import { getTraceScores, updateTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { addTraces } from "../../support/runs/trace-runs.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const metrics = ["tool_correctness", "task_completion"];

const storeTrace = async (client: Client, trace_id: string = randomUUID()): Promise<string> =>
  (await client.answer(createTrace, { body: someTrace({ trace_id }) })).trace_id;

const targetsOf = (client: Client, run_id: string, query = {}) =>
  client.answer(listTraceRunTargets, { params: { run_id }, query });

describe("a batch run", () => {
  const client = newProject(service);

  test("evaluates exactly the listed traces, each once, in the order given", async () => {
    const ids = [await storeTrace(client), await storeTrace(client), await storeTrace(client)];
    const trace_ids = [ids[2], ids[0]?.toUpperCase(), ids[2], ids[0]];

    const reply = await client.call(createTraceBatchRun, { body: { trace_ids, metrics, name: "two" } });
    const run = await endedRun(client, reply.body);

    expectStatus(reply, 202);
    expect(reply.body).toMatchObject({
      status: "PENDING",
      total_traces: 2,
      filters: {},
      sampling_rate: 1,
      name: "two",
    });
    expect(run).toMatchObject({ status: "COMPLETED", evaluated_count: 2, failed_count: 0, metric_names: metrics });
    const { items } = await targetsOf(client, run.id);
    expect(items.map(({ target_id, state }) => [target_id, state])).toEqual([
      [ids[2], "settled"],
      [ids[0], "settled"],
    ]);
  });

  test("judges the pairs in order", async () => {
    const trace_ids = await addTraces(client, 30);
    const { id } = await client.answer(createTraceBatchRun, { body: { trace_ids, metrics } });
    await endedRun(client, { id });

    const scores = await client.answer(listTraceRunScores, { params: { run_id: id } });

    const judgedOrder = (Array.isArray(scores) ? scores : [])
      .toReversed()
      .map(({ trace_id }) => trace_ids.indexOf(trace_id));
    expect(judgedOrder).toHaveLength(60);
    expect(judgedOrder).toEqual(judgedOrder.toSorted((a, b) => a - b));
  });

  test("accepts traces that do not exist and counts their pairs as failed", async () => {
    const [existing, unknown] = [await storeTrace(client), randomUUID()];
    const created = await client.answer(createTraceBatchRun, { body: { trace_ids: [unknown, existing], metrics } });
    const run = await endedRun(client, created);

    expect(created.total_traces).toBe(2);
    expect(run).toMatchObject({
      status: "COMPLETED",
      evaluated_count: 2,
      failed_count: 2,
      error_message: "1 of 2 traces was not found.",
    });
    expect((await targetsOf(client, run.id)).items).toEqual([
      {
        target_id: unknown,
        state: "not_found",
        metrics: metrics.map((name) => ({ name, state: "not_found", reason: "target_not_found" })),
        stale: null,
        attempts: 1,
        waiting_for: null,
      },
      {
        target_id: existing,
        state: "settled",
        metrics: metrics.map((name) => ({ name, state: "settled", reason: null })),
        stale: false,
        attempts: 1,
        waiting_for: null,
      },
    ]);
  });

  test("does not find another project's trace", async () => {
    const foreign = await storeTrace(newProject(service));
    const run = await endedRun(
      client,
      await client.answer(createTraceBatchRun, { body: { trace_ids: [foreign], metrics } }),
    );

    expect(run).toMatchObject({ status: "FAILED", failed_count: 2, error_message: "The trace was not found." });
  });

  test.each<readonly [string, object, readonly string[]]>([
    ["no list", { metrics }, ["trace_ids"]],
    ["an empty list", { trace_ids: [], metrics }, ["trace_ids"]],
    ["no ids", { trace_ids: ["x", 1], metrics }, ["trace_ids.0", "trace_ids.1"]],
    ["a metric of sessions", { trace_ids: [randomUUID()], metrics: ["agent_reliability"] }, ["metrics"]],
    ["no metrics", { trace_ids: [randomUUID()], metrics: [] }, ["metrics"]],
    ["an invalid model", { trace_ids: [randomUUID()], metrics, model: "x" }, ["model"]],
    ["a cost ceiling of zero", { trace_ids: [randomUUID()], metrics, max_cost_usd: 0 }, ["max_cost_usd"]],
    ["too many", { trace_ids: Array.from({ length: 10_001 }, () => randomUUID()), metrics }, ["trace_ids"]],
  ])("with %s is refused", async (_, body, fields) => {
    const reply = await client.call(createTraceBatchRun, { body });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(fields.map((field) => `body.${field}`));
  });

  test("of too many traces is refused with the limit", async () => {
    const ids = Array.from({ length: 10_001 }, () => randomUUID());
    const reply = await client.call(createTraceBatchRun, { body: { trace_ids: [...ids, ...ids], metrics } });

    expect(reply.text).toContain("10001 different ids");
  });

  test("that is requested again with the same key is the same run", async () => {
    const options = {
      body: { trace_ids: [await storeTrace(client)], metrics },
      headers: { "Idempotency-Key": randomUUID() },
    };
    const replies = await Promise.all([1, 2, 3].map(() => client.call(createTraceBatchRun, options)));

    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });
});

describe("a dry run", () => {
  const client = newProject(service);
  const query = { dry_run: "true" };

  test("returns an estimate and creates nothing", async () => {
    const trace_ids = [await storeTrace(client), await storeTrace(client)];

    const estimate = await client.call(createTraceBatchRun, { query, body: { trace_ids, metrics } });
    const sampledEstimate = await client.call(createTraceRun, { query, body: { metrics, sampling_rate: 0.5 } });
    const smallEstimate = await client.call(createTraceRun, {
      query,
      body: { metrics: ["tool_correctness"], sampling_rate: 0.5 },
    });
    const unpriced = await client.call(createTraceRun, { query, body: { metrics, model: "custom/x" } });
    const priced = await client.call(createTraceRun, { query, body: { metrics, model: "openai/gpt-5.4-mini" } });

    expect([estimate, sampledEstimate, smallEstimate, unpriced, priced].map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200,
    ]);
    expect(estimate.body).toMatchObject({ targets: 2, cost_usd: 0, set_aside_usd: 0 });
    expect(sampledEstimate.body).toMatchObject({ targets: 1 });
    expect(unpriced.body).toMatchObject({ targets: 2, cost_usd: null, set_aside_usd: null });
    const { judge_calls, cost_usd, set_aside_usd } = JSON.parse(priced.text);
    expect(set_aside_usd).toBeGreaterThan(cost_usd / judge_calls);
    expect(JSON.parse(estimate.text).judge_calls).toBe(2 * JSON.parse(sampledEstimate.text).judge_calls);
    expect(JSON.parse(estimate.text).prompt_tokens).toBeGreaterThan(0);
    expect(JSON.parse(smallEstimate.text).judge_calls).toBeLessThan(JSON.parse(sampledEstimate.text).judge_calls);
    expect((await client.answer(listTraceRuns)).total).toBe(0);
  });

  test("is refused for the same reasons as the run", async () => {
    const reply = await client.call(createTraceBatchRun, { query, body: { trace_ids: [], metrics: ["x"] } });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(["body.trace_ids"]);
  });
});

describe("the targets of a run", () => {
  test("are listed page by page, in the order of the run", async () => {
    const client = newProject(service);
    const trace_ids = await addTraces(client, 60);
    const { id } = await client.answer(createTraceBatchRun, { body: { trace_ids, metrics: ["tool_correctness"] } });
    await endedRun(client, { id });

    const page = await targetsOf(client, id, { limit: 7, offset: 47 });
    const beyond = await targetsOf(client, id, { offset: 60 });

    expect(page).toMatchObject({ total: 60, limit: 7, offset: 47 });
    expect(page.items.map(({ target_id }) => target_id)).toEqual(trace_ids.slice(47, 54));
    expect(beyond).toMatchObject({ items: [], total: 60 });
  });

  test("of a run that could not be judged show it", async () => {
    const client = newProject(service);
    const body = { trace_ids: [await storeTrace(client)], metrics: ["tool_correctness"], model: "custom/x" };
    const run = await endedRun(client, await client.answer(createTraceBatchRun, { body }));

    const { items } = await targetsOf(client, run.id);

    expect(items).toMatchObject([{ state: "failed", metrics: [{ state: "failed", reason: "run_failed" }] }]);
  });
});

describe("a retry", () => {
  const client = newProject(service);

  test("evaluates exactly the failed pairs, including those of traces that exist only since", async () => {
    const [existing, lateTrace] = [await storeTrace(client), randomUUID()];
    const body = { trace_ids: [existing, lateTrace], metrics, name: "first" };
    const first = await endedRun(client, await client.answer(createTraceBatchRun, { body }));
    await storeTrace(client, lateTrace);

    const reply = await client.call(retryTraceRun, { params: { run_id: first.id } });
    const retry = await endedRun(client, reply.body);

    expectStatus(reply, 202);
    expect(reply.body).toMatchObject({
      status: "PENDING",
      name: "Retry: first",
      retry_of: first.id,
      filters: {},
      sampling_rate: 1,
      metric_names: metrics.toSorted(),
      total_traces: 1,
    });
    expect(retry).toMatchObject({ status: "COMPLETED", evaluated_count: 1, failed_count: 0 });
    expect((await targetsOf(client, retry.id)).items.map(({ target_id }) => target_id)).toEqual([lateTrace]);
    expect(await endedRun(client, first)).toEqual(first);
  });

  test("does not touch a score that a person has corrected: its pair is settled and is not judged again", async () => {
    const trace_ids = [await storeTrace(client), await storeTrace(client)];
    // The offline judge has no rule for this metric.
    await client.answer(createCustomMetric, { body: someMetric("unanswered") });
    const body = { trace_ids, metrics: ["unanswered"] };
    const createdRun = await client.answer(createTraceBatchRun, { body });
    const run = await endedRun(client, createdRun);
    const scores = async () =>
      Promise.all(trace_ids.map((score_id) => client.answer(getTraceScores, { params: { score_id } })));
    const [first, second] = (await scores()).map(([score]) => score);
    const correct = (score: typeof first) =>
      client.answer(updateTraceScore, { params: { score_id: score?.id ?? "" }, body: { value: "0.25" } });
    const corrected = await correct(first);
    const params = { run_id: run.id };

    const states = (await targetsOf(client, run.id)).items.map(({ state, metrics: each }) => [state, each[0]?.state]);
    const retry = await endedRun(client, await client.answer(retryTraceRun, { params }));
    const judged = (await targetsOf(client, retry.id)).items.map(({ target_id }) => target_id);
    const after = await scores();
    await correct(second);
    const nothing = await client.call(retryTraceRun, { params });

    expect([first?.status, second?.status, run.failed_count]).toEqual(["FAILED", "FAILED", 2]);
    expect(states).toEqual([
      ["settled", "settled"],
      ["failed", "failed"],
    ]);
    expect([retry.total_traces, judged]).toEqual([1, [trace_ids[1]]]);
    expect(run.judge_usage.calls).toBe(2 * retry.judge_usage.calls);
    expect(after[0]).toEqual([corrected]);
    expect(corrected).toMatchObject({ value: "0.25", status: "SUCCESS", source: "ANNOTATION" });
    expectStatus(nothing, 422);
    expect(nothing.text).toContain("No failed scores to retry in this run.");
  });

  test("of a run without failures is refused", async () => {
    const body = { trace_ids: [await storeTrace(client)], metrics };
    const run = await endedRun(client, await client.answer(createTraceBatchRun, { body }));

    const reply = await client.call(retryTraceRun, { params: { run_id: run.id } });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(["path.run_id"]);
    expect(reply.text).toContain("No failed scores to retry in this run.");
  });

  test("of a run without a name is named after its id, and a retry can be retried too", async () => {
    const body = { trace_ids: [randomUUID()], metrics: ["tool_correctness"] };
    const run = await endedRun(client, await client.answer(createTraceBatchRun, { body }));
    const params = { run_id: run.id };
    const headers = { "Idempotency-Key": randomUUID() };

    const twice = await Promise.all([1, 2].map(() => client.answer(retryTraceRun, { params, headers })));
    const retry = await endedRun(client, twice[0] ?? run);
    const third = await client.answer(retryTraceRun, { params: { run_id: retry.id } });

    expect(new Set(twice.map(({ id }) => id)).size).toBe(1);
    expect(retry.name).toBe(`Retry: ${run.id}`);
    expect(third).toMatchObject({ retry_of: retry.id, total_traces: 1 });
  });
});
