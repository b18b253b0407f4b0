import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import {
  createTraceRun,
  getTraceRun,
  listTraceRuns,
  listTraceRunScores,
} from "../../../lib/contract/runs/trace-runs.ts";
import { newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { expectStatus } from "../../support/reply-shape.ts";
import { addTrace, addTraces, orderOf, scoresOf, startRun } from "../../support/runs/trace-runs.ts";

const service = inject("service");

const nonZeroUsage = {
  calls: expect.any(Number) as number,
  prompt_tokens: expect.any(Number) as number,
  completion_tokens: expect.any(Number) as number,
  cached_tokens: expect.any(Number) as number,
};

describe("an eval run", () => {
  test("is created PENDING with its final total and ends COMPLETED with exact counts", async () => {
    const client = newProject(service);
    await addTraces(client, 3);
    const body = {
      name: "nightly",
      metrics: ["tool_correctness", "task_completion"],
      filters: { date_from: "2026-01-01" },
    };

    const reply = await client.call(createTraceRun, { body });
    const finalRun = await endedRun(client, reply.body);

    expectStatus(reply, 202);
    expect(reply.body).toMatchObject({
      name: "nightly",
      status: "PENDING",
      target_type: "TRACE",
      metric_names: body.metrics,
      filters: body.filters,
      sampling_rate: 1,
      model: null,
      resolved_model: "offline/rules",
      monitor_id: null,
      retry_of: null,
      total_traces: 3,
      total_targets: 3,
      evaluated_count: 0,
      failed_count: 0,
      judge_usage: {
        calls: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        cached_tokens: 0,
        cost_usd: 0,
        unreported_usd: 0,
      },
      waiting_for: null,
      max_cost_usd: null,
      error_message: null,
      completed_at: null,
    });
    expect(finalRun).toEqual({
      ...reply.body,
      status: "COMPLETED",
      evaluated_count: 3,
      judge_usage: { ...reply.body.judge_usage, ...nonZeroUsage },
      completed_at: expect.any(String) as string,
    });
  });

  test("has one score for each trace and metric, newest first", async () => {
    const client = newProject(service);
    const ids = await Promise.all(["production", null].map((environment) => addTrace(client, { environment })));
    const metrics = ["task_completion", "tool_correctness"];
    const run = await endedRun(client, await startRun(client, { metrics }));

    const scores = await scoresOf(client, run);

    const pairs = scores.map(({ trace_id, name }) => `${trace_id} ${name}`);
    expect(pairs.toSorted()).toEqual(ids.flatMap((id) => metrics.map((metric) => `${id} ${metric}`)).toSorted());
    expect(scores.map(orderOf)).toEqual(scores.map(orderOf).toSorted().toReversed());
    for (const score of scores) {
      expect(score).toMatchObject({
        project_id: run.project_id,
        eval_run_id: run.id,
        status: "SUCCESS",
        source: "AUTOMATED",
        data_type: "NUMERIC",
        value: expect.stringMatching(/^(?:0\.\d{1,4}|1\.0)$/) as string,
        reason: expect.stringMatching(/./) as string,
        environment: score.trace_id === ids[0] ? "production" : null,
        author_user_id: null,
      });
    }
  });

  test("never goes back in status or counts while it is polled", async () => {
    const client = newProject(service);
    await addTraces(client, 60);
    const snapshots = [await startRun(client, { metrics: ["task_completion", "tool_correctness"] })];
    const [first] = snapshots as [EvalRun];
    for (let last = first; last.completed_at === null; snapshots.push(last)) {
      last = await client.answer(getTraceRun, { params: { run_id: first.id } });
    }

    const stages = ["PENDING", "RUNNING", "COMPLETED"];
    const steps = snapshots.map(({ status }) => stages.indexOf(status));
    const counts = snapshots.map(({ evaluated_count }) => evaluated_count);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(snapshots.at(-1)).toMatchObject({
      status: "COMPLETED",
      total_traces: 60,
      evaluated_count: 60,
      failed_count: 0,
    });
    expect(await scoresOf(client, first)).toHaveLength(120);
  });

  test("evaluates a metric once that is listed twice", async () => {
    const client = newProject(service);
    await addTrace(client);
    const metrics = ["tool_correctness", "task_completion", "tool_correctness"];

    const run = await endedRun(client, await startRun(client, { metrics }));

    expect(run.metric_names).toEqual(["tool_correctness", "task_completion"]);
    expect(await scoresOf(client, run)).toHaveLength(2);
  });

  test("without a matching trace completes at once with a reason", async () => {
    const client = newProject(service);
    const created = await startRun(client, { filters: { name: "nothing" } });
    const run = await endedRun(client, created);

    expect(created).toMatchObject({ status: "PENDING", total_traces: 0, error_message: null, completed_at: null });
    expect(run).toMatchObject({
      status: "COMPLETED",
      evaluated_count: 0,
      error_message: "No traces match the provided filters.",
    });
    expect(await scoresOf(client, run)).toEqual([]);
  });

  test("includes a trace that was accepted just before", async () => {
    const client = newProject(service);
    for (let count = 1; count <= 5; count += 1) {
      await addTrace(client);
      expect(await startRun(client)).toMatchObject({ total_traces: count });
    }
  });

  test("of another project is not found", async () => {
    const [mine, theirs] = [newProject(service), newProject(service)];
    const run_id = (await startRun(theirs)).id;
    const replies = await Promise.all([
      mine.call(getTraceRun, { params: { run_id } }),
      mine.call(listTraceRunScores, { params: { run_id } }),
      mine.call(listTraceRunScores, { params: { run_id }, query: { limit: 1 } }),
    ]);

    expect(replies.map(({ status, body }) => [status, body])).toEqual(
      replies.map(() => [404, { detail: `Eval run ${run_id} not found.` }]),
    );
  });
});

describe("a run that is requested again", () => {
  test.each(["Idempotency-Key", "X-Request-ID"])(
    "with the same %s is the same run and gets the same reply",
    async (header) => {
      const client = newProject(service);
      await addTraces(client, 2);
      const options = { body: { metrics: ["task_completion"] }, headers: { [header]: `key-${randomUUID()}` } };
      const replies = await Promise.all(Array.from({ length: 5 }, () => client.call(createTraceRun, options)));
      const [first] = replies as [(typeof replies)[0]];
      await endedRun(client, first.body);
      await addTrace(client);

      const lateReply = await client.call(createTraceRun, options);
      const { items } = await client.answer(listTraceRuns);

      expect(new Set([...replies, lateReply].map(({ status, text }) => `${status} ${text}`))).toEqual(
        new Set([`202 ${first.text}`]),
      );
      expect(items.map(({ id }) => id)).toEqual([first.body.id]);
      expect(await scoresOf(client, first.body)).toHaveLength(2);
    },
  );

  test("in another project or without a key is another run", async () => {
    const [client, otherProject] = [newProject(service), newProject(service)];
    const headers = { "Idempotency-Key": randomUUID() };
    const body = { metrics: ["task_completion"] };
    const runs = [
      await client.answer(createTraceRun, { body, headers }),
      await otherProject.answer(createTraceRun, { body, headers }),
      await client.answer(createTraceRun, { body }),
      await client.answer(createTraceRun, { body }),
    ];

    expect(new Set(runs.map(({ id }) => id)).size).toBe(4);
  });
});
