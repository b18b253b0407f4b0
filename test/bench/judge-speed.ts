import { randomUUID } from "node:crypto";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { number, object, parse } from "valibot";
import { wholeTargets } from "../../lib/domain/run.ts";
import type { IdentifiedTrace } from "../../lib/domain/merge-trace.ts";
import { runCreation } from "../../lib/store/run-creation.ts";
import { traceStore } from "../../lib/store/traces.ts";
import { startDatabase } from "../support/database.ts";
import { someOrder } from "../support/runs.ts";
import { startMockJudge } from "./mock-judge.ts";

const measured = object({ seconds: number(), cpu: number(), megabytes: number(), scored: number() });

/** How a run is judged. */
export interface JudgeRun {
  readonly traces: readonly IdentifiedTrace[];
  /** Judgements of each trace. */
  readonly copies: number;
  /** Of the mock judge, milliseconds. */
  readonly latency: number;
  /** Judge calls at a time. */
  readonly calls: number;
  /** Flags of the measured process, such as `--cpu-prof`. */
  readonly flags: readonly string[];
}

/**
 * Evaluates a run in a process of its own, scores stored, with the database and the mock judge outside of it.
 *
 * @returns wall and CPU seconds of the work, peak memory of the process, and how many judgements were scored.
 */
export const measureJudging = async ({ traces, copies, latency, calls, flags }: JudgeRun) => {
  const database = await startDatabase();
  const mock = await startMockJudge(latency);
  try {
    const [projectId, store] = [randomUUID(), traceStore(database, 0)];
    for (const trace of traces) await store.save(projectId, trace);
    const metrics = Array.from({ length: copies }, (_, copy) => `confidence_${copy}`);
    const order = someOrder({ projectId, metrics, total: traces.length, resolvedModel: "custom/judge" });
    await runCreation(database)(order, wholeTargets(traces.map(({ trace_id }) => trace_id)));
    const endpoint = await database.client.config.endpoint?.();
    const environment = {
      ...process.env,
      BENCH_PROJECT: projectId,
      BENCH_RUN: order.id,
      BENCH_CALLS: String(calls),
      BENCH_COPIES: String(copies),
      BENCH_JUDGE: mock.url,
      BENCH_DATABASE: `http://${endpoint?.hostname}:${endpoint?.port}`,
    };
    const worker = [...flags, new URL("./judge-worker.ts", import.meta.url).pathname];
    const { stdout } = await promisify(execFile)(process.execPath, worker, { env: environment });
    return parse(measured, JSON.parse(stdout));
  } finally {
    await mock.close();
    await database.close();
  }
};
