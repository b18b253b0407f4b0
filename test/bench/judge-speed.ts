import { randomUUID } from "node:crypto";
import { wholeTargets } from "../../lib/domain/runs/run.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { runCreation } from "../../lib/store/runs/creation.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { startDatabase } from "../support/database/database.ts";
import { someOrder } from "../support/runs/runs.ts";
import type { JudgeProcess, Measured } from "./judge-process.ts";

/** Settings of a measured run. */
export interface JudgeRun {
  readonly traces: readonly IdentifiedTrace[];
  /** Judgements per trace. */
  readonly copies: number;
  /** Starts the mock judge. */
  readonly startJudge: () => Promise<{ readonly url: string; readonly close: () => Promise<void> }>;
  /** Judge model, `<provider>/<model>`. */
  readonly model: string;
  /** Number of concurrent judge calls. */
  readonly calls: number;
  /** Node.js flags of the measured process, such as `--cpu-prof`. */
  readonly flags: readonly string[];
}

/**
 * Measures a run with stored scores in a separate process, with the database and the mock judge outside of it.
 * @param worker process of `judge-worker.ts`.
 */
export const measureJudging = async (
  worker: JudgeProcess,
  { traces, copies, startJudge, model, calls, flags }: JudgeRun,
): Promise<Measured> => {
  const database = await startDatabase();
  const mock = await startJudge();
  try {
    const [projectId, store] = [randomUUID(), traceStore(database, 0)];
    for (const trace of traces) await store.save(projectId, trace);
    const metrics = Array.from({ length: copies }, (_, copy) => `confidence_${copy}`);
    const order = someOrder({ projectId, metrics, total: traces.length, resolvedModel: model });
    await runCreation(database)(order, wholeTargets(traces.map(({ trace_id }) => trace_id)));
    const endpoint = await database.client.config.endpoint?.();
    const environment = {
      BENCH_PROJECT: projectId,
      BENCH_RUN: order.id,
      BENCH_CALLS: String(calls),
      BENCH_COPIES: String(copies),
      BENCH_JUDGE: mock.url,
      AWS_ENDPOINT_URL_DYNAMODB: `http://${endpoint?.hostname}:${endpoint?.port}`,
      AWS_REGION: "local",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    };
    return await worker.run(environment, "", flags);
  } finally {
    await mock.close();
    await database.close();
  }
};
