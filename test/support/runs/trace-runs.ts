import type { InferOutput } from "valibot";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import { createTraceRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import type { traceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import type { Client } from "../service/client.ts";

/** Starts a run of traces as a client does. */
export const startRun = (client: Client, body: object = {}): Promise<EvalRun> =>
  client.answer(createTraceRun, { body: { metrics: ["task_completion"], ...body } });

/** All scores of a run. */
export const scoresOf = async (client: Client, { id }: EvalRun): Promise<InferOutput<typeof traceScore>[]> => {
  const scores = await client.answer(listTraceRunScores, { params: { run_id: id } });
  if (!Array.isArray(scores)) throw new Error("A page came back where a list was asked for.");
  return scores;
};

/** Stores a trace that can be judged. @returns its id. */
export const addTrace = async (client: Client, body: object = {}): Promise<string> => {
  const { trace_id } = await client.answer(createTrace, {
    body: { name: "x", started_at: "2026-10-01", input: "Hello?", output: "Hello!", ...body },
  });
  return trace_id;
};

export const addTraces = (client: Client, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => addTrace(client)));

/** Sort key by which descending order is newest first. */
export const orderOf = ({ created_at, id }: { readonly created_at: string; readonly id: string }): string =>
  `${created_at} ${id}`;
