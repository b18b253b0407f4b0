import { randomUUID } from "node:crypto";
import type { InferOutput } from "valibot";
import { expect } from "vitest";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import { createTraceRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import type { traceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
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

const judgeable = { name: "x", started_at: "2026-10-01", input: "Hello?", output: "Hello!" };

/** Stores a trace that can be judged. @returns its id. */
export const addTrace = async (client: Client, body: object = {}): Promise<string> => {
  const { trace_id } = await client.answer(createTrace, { body: { ...judgeable, ...body } });
  return trace_id;
};

/** Stores at most a hundred traces that can be judged, by one request. @returns their ids in order. */
export const addTraces = async (
  client: Client,
  count: number,
  bodyOf: (index: number) => object = () => ({}),
): Promise<string[]> => {
  const traces = Array.from({ length: count }, (_, index) => ({
    ...judgeable,
    trace_id: randomUUID(),
    ...bodyOf(index),
  }));
  const { results } = await client.answer(createTraces, { body: { traces } });
  expect(results.map(({ status }) => status)).toEqual(traces.map(() => 202));
  return traces.map(({ trace_id }) => trace_id);
};

/** Sort key by which descending order is newest first. */
export const orderOf = ({ created_at, id }: { readonly created_at: string; readonly id: string }): string =>
  `${created_at} ${id}`;
