import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { completionAnswer, type FakeJudge, says, startFakeJudge } from "../../support/runs/fake-judge.ts";
import { passTime } from "../../support/runs/pass-time.ts";
import { expectExact, sweptRun } from "../../support/runs/swept-run.ts";
import { addTraces, startRun } from "../../support/runs/trace-runs.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { databaseOf } from "../../support/service/service-database.ts";
import type { Reply } from "../../support/reply-shape.ts";
import { type RunningService, startService } from "../../support/service/service.ts";

const targets = 30;

/** A run that was interrupted while it was being judged. */
interface Interrupted {
  readonly client: Client;
  readonly ids: readonly string[];
  readonly run: EvalRun;
  readonly trace: Reply;
}

describe("a service that is interrupted by the end of the judge's workers, and then of all processes", () => {
  let service: RunningService;
  let judge: FakeJudge;
  let killed: Interrupted;
  let stopped: Interrupted;
  let calls: number;

  /** Process ids of the functions' workers, by function. */
  const workers = (): readonly (readonly [name: string, pids: readonly number[]])[] =>
    Object.entries(
      JSON.parse(readFileSync(join(service.directory, "workers.json"), "utf8")) as Record<string, number[]>,
    );

  /** Starts a run and waits until judging has begun. */
  const beginRun = async (): Promise<Interrupted> => {
    judge.script(async (response, call) => {
      await wait(400);
      if (!response.destroyed) await says(completionAnswer())(response, call);
    });
    const client = newProject(service);
    const ids = await addTraces(client, targets);
    const trace = await client.call(getTrace, { params: { trace_id: ids[0] ?? "" } });
    const run = await startRun(client, { model: "openai/judge" });
    await eventually(async () => {
      const { status } = await client.answer(getTraceRun, { params: { run_id: run.id } });
      return judge.calls.length > 4 && status === "RUNNING" ? run : undefined;
    });
    return { client, ids, run, trace };
  };

  beforeAll(async () => {
    judge = await startFakeJudge();
    service = await startService({
      sharedThreads: false,
      providers: { openai: { key: "sk-test", baseUrl: judge.url } },
    });
    killed = await beginRun();
    const pids = workers().flatMap(([name, running]) => (/judge/i.test(name) ? running : []));
    if (pids.length === 0) throw new Error("There is no worker to kill.");
    for (const pid of pids) process.kill(pid, "SIGKILL");
    calls = judge.calls.length;
    stopped = await beginRun();
    await service.stack.restart();
  });

  afterAll(async () => {
    await service.close();
    await judge.close();
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
    // A dead worker's slice is sent again after a lease of 30 seconds and a grace period of 10.
    const runs = await Promise.all(
      [killed, stopped].map(async ({ client, run }) => {
        await passTime(databaseOf(service), run, 60_000);
        return await sweptRun(service, client, run);
      }),
    );

    await expectExact(killed.client, runs[0] as EvalRun, killed.ids);
    await expectExact(stopped.client, runs[1] as EvalRun, stopped.ids);
    // Each of the two runs was interrupted once: no pair is judged more than twice.
    expect(calls + judge.calls.length).toBeLessThanOrEqual(4 * targets);
  });
});
