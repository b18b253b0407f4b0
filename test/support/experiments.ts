import { exportTraces } from "../../lib/contract/otlp/export-traces.ts";
import { listExperiments, type ExperimentReply } from "../../lib/contract/experiments/experiments.ts";
import { createTraceScore } from "../../lib/contract/scores/trace-scores.ts";
import { traceUuid } from "../../lib/otlp/wire/span-ids.ts";
import { hexId, jsonExport, jsonSpan } from "./otlp/otlp.ts";
import type { Client } from "./service/client.ts";
import { eventually } from "./service/local-fixture.ts";

/** When the traces of an experiment start, and for how long they run. */
interface TraceTimes {
  readonly startedAt?: number;
  /** Milliseconds of each trace; null for traces that do not end. */
  readonly latency?: number | null;
}

/** Sends a trace with the attributes for each item and returns the traces' ids. */
export const sendExperiment = async (
  project: Client,
  attributes: Readonly<Record<string, string>>,
  items: readonly string[],
  { startedAt = Date.now(), latency = 0 }: TraceTimes = {},
): Promise<readonly string[]> => {
  const traces = items.map(() => hexId(16));
  const times = {
    startTimeUnixNano: `${startedAt}000000`,
    endTimeUnixNano: latency === null ? undefined : `${startedAt + latency}000000`,
  };
  const spans = traces.map((trace, at) =>
    jsonSpan(trace, hexId(8), times, { ...attributes, "assay.experiment.item": items[at] ?? "" }),
  );
  await project.answer(exportTraces, { body: jsonExport(spans) });
  return traces.map(traceUuid);
};

/** Scores traces by a function of their places. */
export const scoreTraces = async (
  project: Client,
  traces: readonly string[],
  name: string,
  valueAt: (at: number) => unknown,
): Promise<void> => {
  for (const [at, trace_id] of traces.entries())
    await project.answer(createTraceScore, { body: { trace_id, name, value: valueAt(at) } });
};

/** Waits until a project lists that many experiments and returns them by name. */
export const experimentsByName = (project: Client, count: number): Promise<ReadonlyMap<string, ExperimentReply>> =>
  eventually(async () => {
    const { items } = await project.answer(listExperiments);
    return items.length === count ? new Map(items.map((each) => [each.name, each])) : undefined;
  });
