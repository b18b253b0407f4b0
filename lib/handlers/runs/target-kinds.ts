import { sessionMetricNames } from "../../metrics/session/catalogue.ts";
import { traceMetricNames } from "../../metrics/trace/catalogue.ts";
import type { TargetType } from "../../domain/runs/run.ts";

/** What creating a run of traces and one of sessions have apart. */
export interface TargetKind {
  readonly targetType: TargetType;
  readonly metricNames: readonly string[];
  /** Whether a run of listed targets is judged strictly one judgement after the other. */
  readonly sequentialWhenListed: boolean;
}

export const traceTargets: TargetKind = {
  targetType: "TRACE",
  metricNames: traceMetricNames,
  sequentialWhenListed: true,
};

export const sessionTargets: TargetKind = {
  targetType: "SESSION",
  metricNames: sessionMetricNames,
  sequentialWhenListed: false,
};
