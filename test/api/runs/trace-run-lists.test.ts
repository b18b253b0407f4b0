import type { InferOutput } from "valibot";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import { listTraceRuns, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import type { traceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { problems } from "../../support/reply-shape.ts";
import { addTraces, orderOf, startRun } from "../../support/runs/trace-runs.ts";

const service = inject("service");

describe("lists of runs and of a run's scores", () => {
  const client = newProject(service);
  let runs: readonly EvalRun[];

  beforeAll(async () => {
    await addTraces(client, 4);
    const created: EvalRun[] = [];
    for (const model of [null, "custom/x", null, null]) created.push(await startRun(client, { model }));
    runs = await Promise.all(created.map((run) => endedRun(client, run)));
  });

  test("the runs are listed newest first, in the same form as by id", async () => {
    const page = await client.answer(listTraceRuns);

    expect(page).toEqual({ items: runs.toReversed(), total: 4, limit: 50, offset: 0, next_cursor: null });
  });

  test("runs that were created at the same time are ordered by id", async () => {
    const many = newProject(service);
    await Promise.all(Array.from({ length: 12 }, () => startRun(many)));

    const { items } = await many.answer(listTraceRuns);

    expect(items).toHaveLength(12);
    expect(items.map(orderOf)).toEqual(items.map(orderOf).toSorted().toReversed());
  });

  test("the runs are paged and can be filtered by status", async () => {
    const page = await client.answer(listTraceRuns, { query: { limit: 2, offset: 1 } });
    const failed = await client.answer(listTraceRuns, { query: { status: "FAILED" } });
    const completed = await client.answer(listTraceRuns, { query: { status: "COMPLETED", limit: 1, offset: 1 } });
    const pending = await client.answer(listTraceRuns, { query: { status: "PENDING" } });
    const dates = { date_from: runs[1]?.created_at ?? "", date_to: runs[3]?.created_at ?? "" };
    const dated = await client.answer(listTraceRuns, { query: dates });
    const beyond = await client.answer(listTraceRuns, { query: { offset: 1_000_000_000_000 } });

    const ids = ({ items }: { readonly items: readonly EvalRun[] }) => items.map(({ id }) => id);
    expect([ids(page), page.total]).toEqual([[runs[2]?.id, runs[1]?.id], 4]);
    expect([ids(failed), failed.total]).toEqual([[runs[1]?.id], 1]);
    expect([ids(completed), completed.total]).toEqual([[runs[2]?.id], 3]);
    expect([ids(pending), pending.total]).toEqual([[], 0]);
    expect([ids(dated), dated.total]).toEqual([[runs[2]?.id, runs[1]?.id], 2]);
    expect([ids(beyond), beyond.total]).toEqual([[], 4]);
  });

  test.each([
    "limit=0",
    "limit=201",
    "limit=x",
    "offset=-1",
    "status=completed",
    "status=",
    "status=FAILED&status=FAILED",
  ])("the query %s of a list of runs is refused", async (query) => {
    const reply = await client.call(listTraceRuns, { query });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual([`query.${query.split("=")[0]}`]);
  });

  test("the scores are a page when a limit or an offset is given", async () => {
    const params = { run_id: runs[0]?.id ?? "" };
    const allScores = await client.answer(listTraceRunScores, { params });
    const list = allScores as InferOutput<typeof traceScore>[];
    const listScores = (query: string) => client.answer(listTraceRunScores, { params, query });

    expect(list).toHaveLength(4);
    expect(await listScores("limit=3")).toEqual({
      items: list.slice(0, 3),
      total: 4,
      limit: 3,
      offset: 0,
      next_cursor: expect.any(String),
    });
    expect(await listScores("offset=1")).toEqual({
      items: list.slice(1),
      total: 4,
      limit: 50,
      offset: 1,
      next_cursor: null,
    });
    expect(await listScores("limit=1&offset=2")).toEqual({
      items: list.slice(2, 3),
      total: 4,
      limit: 1,
      offset: 2,
      next_cursor: expect.any(String),
    });
    expect(await listScores("limit=200&offset=5000000000")).toEqual({
      items: [],
      total: 4,
      limit: 200,
      offset: 5_000_000_000,
      next_cursor: null,
    });
  });

  test.each(["limit=0", "limit=201", "limit=1.5", "offset=-1", "offset=", "limit=1&limit=2"])(
    "the query %s of a run's scores is refused",
    async (query) => {
      const reply = await client.call(listTraceRunScores, { params: { run_id: runs[0]?.id ?? "" }, query });

      expect(reply.status).toBe(422);
      expect(problems(reply)).toEqual([`query.${query.split("=")[0]}`]);
    },
  );
});
