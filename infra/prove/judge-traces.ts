import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../lib/client/client.ts";
import type { EvalRun, TraceScore } from "../../lib/client/interface.ts";
import { pollUntil } from "../verify/poll-until.ts";
import { deployedTimeouts } from "../verify/timeouts.ts";

/** US dollars that judging may cost in a proof. */
export const maxCostUsd = 1;

/** Milliseconds between two polls, and that a run of a hundred judgements may take, waits for a provider included. */
const [pollInterval, runTimeout] = [10_000, 1_800_000];

/** Reads a value every ten seconds until a condition holds. @throws Error with a description when the time is up. */
export const waitUntil = async <Value>(
  description: string,
  milliseconds: number,
  read: () => Promise<Value>,
  isSatisfied: (value: Value) => boolean,
): Promise<Value> => {
  const result = await pollUntil(
    { wait, timeouts: { ...deployedTimeouts, pollInterval } },
    milliseconds,
    read,
    isSatisfied,
  );
  if (!result.isSatisfied) throw new Error(`${description} did not happen within ${milliseconds / 1000} s`);
  return result.value;
};

/** Judges traces by the metric `task_completion`, for less than a dollar. @throws Error if the run does not end in time. */
export const judgeTraces = async (
  client: Client,
  traceIds: readonly string[],
  model: string,
): Promise<{ readonly run: EvalRun; readonly scores: readonly TraceScore[] }> => {
  const body = { name: "proof", trace_ids: traceIds, metrics: ["task_completion"], model, max_cost_usd: maxCostUsd };
  const { id } = await client.createTraceBatchRun({ body });
  const path = { run_id: id };
  const run = await waitUntil(
    "the end of the run",
    runTimeout,
    () => client.getTraceRun({ path }),
    ({ completed_at }) => completed_at !== null,
  );
  const scores = await client.listTraceRunScores({ path });
  return { run, scores: "items" in scores ? scores.items : scores };
};
