import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EvalRun } from "../../lib/contract/runs/run.ts";
import {
  createTraceRun,
  getTraceRun,
  listTraceRunScores,
  listTraceRunTargets,
} from "../../lib/contract/runs/trace-runs.ts";
import { createTraces } from "../../lib/contract/traces/batch.ts";
import { getTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import { type Client, newProject } from "../support/service/client.ts";
import { completion, completionAnswer, type FakeJudge, startFakeJudge } from "../support/runs/fake-judge.ts";
import { eventually } from "../support/service/local-fixture.ts";
import type { Reply } from "../support/reply-shape.ts";
import { type RunningService, startService } from "../support/service/service.ts";

const targets = 30;

/** A run that was interrupted while it was being judged. */
interface Interrupted {
  readonly client: Client;
  readonly ids: readonly string[];
  readonly run: EvalRun;
  readonly trace: Reply;
}

describe("a service that is interrupted", () => {
  let service: RunningService;
  let judge: FakeJudge;

  beforeAll(async () => {
    judge = await startFakeJudge();
    service = await startService({
      sharedThreads: false,
      limitFactor: 100,
      providers: { openai: { key: "sk-test", baseUrl: judge.url } },
    });
  });

  afterAll(async () => {
    await service.close();
    await judge.close();
  });

  const slowJudge = (): void =>
    judge.script(async (response) => {
      await wait(400);
      if (response.destroyed) return;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(completion(JSON.stringify(completionAnswer()))));
    });

  /** A project with traces that have no scores. */
  const newTargets = async (): Promise<Pick<Interrupted, "client" | "ids">> => {
    const client = newProject(service);
    const body = { name: "x", started_at: "2026-10-01", input: "Hello?", output: "Hello!" };
    const traces = Array.from({ length: targets }, () => ({ ...body, trace_id: randomUUID() }));
    // In one request: each concurrent call of a function starts a process.
    await client.answer(createTraces, { body: { traces } });
    return { client, ids: traces.map(({ trace_id: id }) => id) };
  };

  const startRun = (client: Client): Promise<EvalRun> =>
    client.answer(createTraceRun, { body: { metrics: ["task_completion"], model: "openai/judge" } });

  const readRun = (client: Client, { id }: EvalRun): Promise<EvalRun> =>
    client.answer(getTraceRun, { params: { run_id: id } });

  /** Process ids of the functions' workers, by function. */
  const workers = (): readonly (readonly [name: string, pids: readonly number[]])[] =>
    Object.entries(
      JSON.parse(readFileSync(join(service.directory, "workers.json"), "utf8")) as Record<string, number[]>,
    );

  let sweptAt = 0;

  /** Calls the sweeper, at most once in three seconds for all runs that wait. */
  const sweep = async (): Promise<void> => {
    if (Date.now() - sweptAt < 3_000) return;
    sweptAt = Date.now();
    for (const sweeper of service.stack.scheduled) await service.stack.functions.invoke(sweeper, {});
  };

  /**
   * Waits for the end of a run, calling the sweeper every few seconds, and checks the counts of each poll. A dead worker's
   * slice is sent again after a lease of 30 seconds and a grace period of 10.
   */
  const waitForEnd = async (client: Client, run: EvalRun): Promise<EvalRun> => {
    let evaluated = 0;
    const endedRun = await eventually(async () => {
      await sweep();
      const now = await readRun(client, run);
      expect(now.evaluated_count).toBeGreaterThanOrEqual(evaluated);
      expect(now.evaluated_count).toBeLessThanOrEqual(targets);
      evaluated = now.evaluated_count;
      if (now.status === "COMPLETED" || now.status === "FAILED") return now;
      await wait(1_000);
      return undefined;
    });
    return endedRun;
  };

  const expectExact = async (client: Client, run: EvalRun, ids: readonly string[]): Promise<void> => {
    const scores = await client.answer(listTraceRunScores, { params: { run_id: run.id } });

    expect(run).toMatchObject({
      status: "COMPLETED",
      total_traces: targets,
      evaluated_count: targets,
      failed_count: 0,
    });
    expect(run.error_message).toBeNull();
    expect(Array.isArray(scores) ? scores.map(({ trace_id }) => trace_id).toSorted() : scores).toEqual(ids.toSorted());
  };

  test("judges with the configured provider and no other", async () => {
    const { client, ids } = await newTargets();
    const body = { metrics: ["task_completion"], model: "anthropic/claude-opus-5" };
    const failed = await waitForEnd(client, await client.answer(createTraceRun, { body }));
    const callsBefore = judge.calls.length;
    const run = await waitForEnd(client, await startRun(client));

    expect(failed).toMatchObject({ status: "FAILED", failed_count: targets });
    expect(callsBefore).toBe(0);
    await expectExact(client, run, ids);
    expect(judge.calls).toHaveLength(targets);
  });

  test("shows for each target that it waits for a provider that is unavailable", async () => {
    const { client, ids } = await newTargets();
    judge.script((response) => {
      response.writeHead(503, { "content-type": "application/json" });
      response.end("{}");
    });
    const run = await startRun(client);
    const params = { run_id: run.id };

    const waiting = await eventually(async () => {
      const { items } = await client.answer(listTraceRunTargets, { params });
      return items.some(({ waiting_for }) => waiting_for !== null) ? items : undefined;
    });
    const { waiting_for } = await readRun(client, run);
    judge.script((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(completion(JSON.stringify(completionAnswer()))));
    });
    const finalRun = await waitForEnd(client, run);
    const { items: after } = await client.answer(listTraceRunTargets, { params });

    expect(waiting_for).toMatch(/provider|judge/iu);
    const waitingTargets = waiting.filter((target) => target.waiting_for !== null);
    expect(new Set(waitingTargets.map((target) => `${target.state}: ${target.waiting_for}`))).toEqual(
      new Set([`waiting: ${waiting_for}`]),
    );
    await expectExact(client, finalRun, ids);
    expect(new Set(after.map((target) => target.waiting_for))).toEqual(new Set([null]));
  });

  describe("by the end of the judge's workers, and then of all processes", () => {
    let killed: Interrupted;
    let stopped: Interrupted;
    let calls: number;

    /** Starts a run and waits until judging has begun. */
    const beginRun = async (): Promise<Interrupted> => {
      slowJudge();
      const { client, ids } = await newTargets();
      const trace = await client.call(getTrace, { params: { trace_id: ids[0] ?? "" } });
      const run = await startRun(client);
      await eventually(async () =>
        judge.calls.length > 4 && (await readRun(client, run)).status === "RUNNING" ? run : undefined,
      );
      return { client, ids, run, trace };
    };

    beforeAll(async () => {
      killed = await beginRun();
      const pids = workers().flatMap(([name, running]) => (/judge/i.test(name) ? running : []));
      if (pids.length === 0) throw new Error("There is no worker to kill.");
      for (const pid of pids) process.kill(pid, "SIGKILL");
      calls = judge.calls.length;
      stopped = await beginRun();
      await service.stack.restart();
    });

    test("keeps every trace unchanged", async () => {
      for (const { client, ids, trace } of [killed, stopped]) {
        const after = await client.call(getTrace, { params: { trace_id: ids[0] ?? "" } });
        const { items, total } = await client.answer(listTraces);

        expect(after.text).toBe(trace.text);
        expect([items.length, total]).toEqual([targets, targets]);
      }
    });

    test("completes each run with one score for each of its traces", async () => {
      const runs = await Promise.all([killed, stopped].map(({ client, run }) => waitForEnd(client, run)));

      await expectExact(killed.client, runs[0] as EvalRun, killed.ids);
      await expectExact(stopped.client, runs[1] as EvalRun, stopped.ids);
      // Each of the two runs was interrupted once: no pair is judged more than twice.
      expect(calls + judge.calls.length).toBeLessThanOrEqual(4 * targets);
    });
  });
});
