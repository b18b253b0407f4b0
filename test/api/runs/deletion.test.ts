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
import { eventually } from "../../support/service/local-fixture.ts";
import { expectStatus } from "../../support/reply-shape.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");

const stored = async (client: Client): Promise<string> =>
  (await client.answer(createTrace, { body: someTrace() })).trace_id;

const scoresOf = (client: Client, trace: string) => client.answer(getTraceScores, { params: { score_id: trace } });

describe("a deleted run", () => {
  test("is found by nothing any more, and its scores stay with its id", async () => {
    const client = newProject(service);
    const trace = await stored(client);
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

  test("takes its scores with it when it is told to, and no others", async () => {
    const client = newProject(service);
    const trace = await stored(client);
    const body = { metrics: ["tool_correctness", "task_completion"] };
    const [kept, gone] = [
      await endedRun(client, await client.answer(createTraceRun, { body })),
      await endedRun(client, await client.answer(createTraceRun, { body })),
    ];

    await client.answer(deleteTraceRun, { params: { run_id: gone.id }, query: { delete_scores: "true" } });

    const left = await eventually(async () => {
      const scores = await scoresOf(client, trace);
      return scores.every(({ eval_run_id }) => eval_run_id === kept.id) ? scores : undefined;
    });
    expect(left).toHaveLength(2);
  });

  test("that was under way is not written to any more", async () => {
    const client = newProject(service);
    const trace_ids = await Promise.all(Array.from({ length: 40 }, () => stored(client)));
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

  test("is not made a second time by a creation that is repeated", async () => {
    const client = newProject(service);
    const options = {
      body: { trace_ids: [await stored(client)], metrics: ["tool_correctness"] },
      headers: { "Idempotency-Key": randomUUID() },
    };
    const first = await client.call(createTraceBatchRun, options);
    await client.answer(deleteTraceRun, { params: { run_id: first.body.id } });

    const again = await client.call(createTraceBatchRun, options);

    expect(again.text).toBe(first.text);
    expect((await client.call(getTraceRun, { params: { run_id: first.body.id } })).status).toBe(404);
  });

  test("was somebody's own: another project's is not found", async () => {
    const [mine, theirs] = [newProject(service), newProject(service)];
    const run = await theirs.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } });

    const reply = await mine.call(deleteTraceRun, { params: { run_id: run.id } });

    expectStatus(reply, 404);
    expect((await theirs.call(getTraceRun, { params: { run_id: run.id } })).status).toBe(200);
  });

  test.each(["delete_scores=1", "delete_scores=", "delete_scores=true&delete_scores=true"])(
    "is not deleted with the query %s",
    async (query) => {
      const client = newProject(service);
      const run = await client.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } });

      const reply = await client.call(deleteTraceRun, { params: { run_id: run.id }, query });

      expect(reply.status).toBe(422);
    },
  );
});
