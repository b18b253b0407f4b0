import type { Metric } from "../../judge/metric/metric.ts";
import { argumentCorrectness } from "./argument-correctness.ts";
import { traceMetricNames, type JudgedMetricName } from "./catalogue.ts";
import { coherence } from "./coherence.ts";
import { confidence } from "./confidence.ts";
import { loopDetection } from "./loop-detection.ts";
import { planAdherence } from "./plan-adherence.ts";
import { planQuality } from "./plan-quality.ts";
import { stepEfficiency } from "./step-efficiency.ts";
import { taskCompletion } from "./task-completion.ts";
import { toolCorrectness } from "./tool-correctness.ts";

const definitions: { readonly [Name in JudgedMetricName]: Metric & { readonly name: Name } } = {
  argument_correctness: argumentCorrectness,
  coherence,
  confidence,
  plan_adherence: planAdherence,
  plan_quality: planQuality,
  step_efficiency: stepEfficiency,
  task_completion: taskCompletion,
  tool_correctness: toolCorrectness,
  loop_detection: loopDetection,
};

/** All built-in metrics of single traces. */
export const judgedMetrics: readonly Metric[] = Object.values(definitions);

/** Built-in metrics of trace runs. */
export const traceMetrics: readonly Metric[] = judgedMetrics.filter(({ name }) => traceMetricNames.includes(name));
