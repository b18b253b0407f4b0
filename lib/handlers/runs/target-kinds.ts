import type { TargetType } from "../../domain/runs/run.ts";

/** What creating a run of traces and one of sessions have apart. */
export interface TargetKind {
  readonly targetType: TargetType;
  /** Whether a run of listed targets is judged strictly one judgement after the other. */
  readonly sequentialWhenListed: boolean;
}

export const traceTargets: TargetKind = {
  targetType: "TRACE",
  sequentialWhenListed: true,
};

export const sessionTargets: TargetKind = {
  targetType: "SESSION",
  sequentialWhenListed: false,
};
