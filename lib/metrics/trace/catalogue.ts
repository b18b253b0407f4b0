import type { Metric } from "../../judge/metric.ts";
import { taskCompletion } from "./task-completion.ts";
import { toolCorrectness } from "./tool-correctness.ts";

/** The metrics of traces, by name. */
export const traceMetrics: readonly Metric[] = [taskCompletion, toolCorrectness];

/** Their names, in the same order. */
export const traceMetricNames: readonly string[] = traceMetrics.map(({ name }) => name);
