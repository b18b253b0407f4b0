import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { isTerminal } from "../../../lib/domain/runs/run.ts";
import type { Client } from "../service/client.ts";
import { eventually } from "../service/local-fixture.ts";
import type { RunningService } from "../service/service.ts";
import { scoresOf } from "./trace-runs.ts";

/** Waits for the end of a run of traces, calling the sweeper every second, and checks the counts of each poll. */
export const sweptRun = ({ stack }: RunningService, client: Client, { id }: Pick<EvalRun, "id">): Promise<EvalRun> => {
  let evaluated = 0;
  return eventually(async () => {
    for (const sweeper of stack.scheduled) await stack.functions.invoke(sweeper, {});
    const run = await client.answer(getTraceRun, { params: { run_id: id } });
    expect(run.evaluated_count).toBeGreaterThanOrEqual(evaluated);
    expect(run.evaluated_count).toBeLessThanOrEqual(run.total_traces);
    evaluated = run.evaluated_count;
    if (isTerminal(run.status)) return run;
    await wait(1_000);
    return undefined;
  });
};

/** Checks that a run has judged each of its traces once. */
export const expectExact = async (client: Client, run: EvalRun, ids: readonly string[]): Promise<void> => {
  const scores = await scoresOf(client, run);

  expect(run).toMatchObject({
    status: "COMPLETED",
    total_traces: ids.length,
    evaluated_count: ids.length,
    failed_count: 0,
  });
  expect(run.error_message).toBeNull();
  expect(scores.map(({ trace_id }) => trace_id).toSorted()).toEqual(ids.toSorted());
};
