import type { Metric } from "../../judge/metric.ts";
import { argumentCorrectness } from "./argument-correctness.ts";
import { coherence } from "./coherence.ts";
import { confidence } from "./confidence.ts";
import { loopDetection } from "./loop-detection.ts";
import { planAdherence } from "./plan-adherence.ts";
import { planQuality } from "./plan-quality.ts";
import { stepEfficiency } from "./step-efficiency.ts";
import { taskCompletion } from "./task-completion.ts";
import { toolCorrectness } from "./tool-correctness.ts";

/** The metrics that a trace run may ask for, by name. */
export const traceMetrics: readonly Metric[] = [
  argumentCorrectness,
  coherence,
  confidence,
  planAdherence,
  planQuality,
  stepEfficiency,
  taskCompletion,
  toolCorrectness,
];

/** Their names, in the same order. */
export const traceMetricNames: readonly string[] = traceMetrics.map(({ name }) => name);

/** What a judge can score: those, and loop_detection, which only makes sense within a session. */
export const judgedMetrics: readonly Metric[] = [...traceMetrics, loopDetection];
