import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import {
  createTraceBatchRun,
  createTraceRun,
  deleteTraceRun,
  getTraceRun,
  listTraceRuns,
  listTraceRunScores,
  listTraceRunTargets,
  retryTraceRun,
} from "../../../lib/contract/runs/trace-runs.ts";
import { getTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { addTraces } from "../../support/runs/trace-runs.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { expectStatus } from "../../support/reply-shape.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");

const storeTrace = async (client: Client): Promise<string> =>
  (await client.answer(createTrace, { body: someTrace() })).trace_id;

const scoresOf = (client: Client, trace: string) => client.answer(getTraceScores, { params: { score_id: trace } });

describe("a deleted run", () => {
  test("is found nowhere any more, and its scores remain with its id", async () => {
    const client = newProject(service);
    const trace = await storeTrace(client);
    const run = await endedRun(
      client,
      await client.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } }),
    );
    const params = { run_id: run.id };

    const reply = await client.call(deleteTraceRun, { params });

    expectStatus(reply, 204);
    const routes = [getTraceRun, listTraceRunScores, listTraceRunTargets, retryTraceRun, deleteTraceRun];
    const replies = await Promise.all(routes.map((route) => client.call(route, { params })));
    expect(replies.map(({ status, text }) => `${status} ${text}`)).toEqual(
      routes.map(() => `404 {"detail":"Eval run ${run.id} not found."}`),
    );
    expect(await client.answer(listTraceRuns)).toMatchObject({ items: [], total: 0 });
    expect(await scoresOf(client, trace)).toMatchObject([{ eval_run_id: run.id }]);
  });

  test("is deleted together with its own scores on request", async () => {
    const client = newProject(service);
    const trace = await storeTrace(client);
    const body = { metrics: ["tool_correctness", "task_completion"] };
    const [otherRun, deletedRun] = [
      await endedRun(client, await client.answer(createTraceRun, { body })),
      await endedRun(client, await client.answer(createTraceRun, { body })),
    ];

    await client.answer(deleteTraceRun, { params: { run_id: deletedRun.id }, query: { delete_scores: "true" } });

    const remainingScores = await eventually(async () => {
      const scores = await scoresOf(client, trace);
      return scores.every(({ eval_run_id }) => eval_run_id === otherRun.id) ? scores : undefined;
    });
    expect(remainingScores).toHaveLength(2);
  });

  test("is not written to any more if it was being judged", async () => {
    const client = newProject(service);
    const trace_ids = await addTraces(client, 40);
    const body = { trace_ids, metrics: ["tool_correctness", "task_completion"] };
    const { id } = await client.answer(createTraceBatchRun, { body });
    await eventually(async () => {
      const { evaluated_count } = await client.answer(getTraceRun, { params: { run_id: id } });
      return evaluated_count > 2 ? true : undefined;
    });

    const reply = await client.call(deleteTraceRun, { params: { run_id: id } });

    const count = async (): Promise<number> =>
      (await Promise.all(trace_ids.map((trace) => scoresOf(client, trace)))).flat().length;
    const first = await count();
    expectStatus(reply, 204);
    expect(first).toBeLessThan(80);
    expect(await count()).toBe(first);
  });

  test("is not created a second time by a repeated request", async () => {
    const client = newProject(service);
    const options = {
      body: { trace_ids: [await storeTrace(client)], metrics: ["tool_correctness"] },
      headers: { "Idempotency-Key": randomUUID() },
    };
    const first = await client.call(createTraceBatchRun, options);
    await client.answer(deleteTraceRun, { params: { run_id: first.body.id } });

    const replay = await client.call(createTraceBatchRun, options);

    expect(replay.text).toBe(first.text);
    expect((await client.call(getTraceRun, { params: { run_id: first.body.id } })).status).toBe(404);
  });

  test("must be in the caller's project: another project's run is not found", async () => {
    const [mine, theirs] = [newProject(service), newProject(service)];
    const run = await theirs.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } });

    const reply = await mine.call(deleteTraceRun, { params: { run_id: run.id } });

    expectStatus(reply, 404);
    expect((await theirs.call(getTraceRun, { params: { run_id: run.id } })).status).toBe(200);
  });

  test.each(["delete_scores=yes", "delete_scores=", "delete_scores=true&delete_scores=true"])(
    "is not deleted with the invalid query %s",
    async (query) => {
      const client = newProject(service);
      const run = await client.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } });

      const reply = await client.call(deleteTraceRun, { params: { run_id: run.id }, query });

      expect(reply.status).toBe(422);
    },
  );
});
