import type { TargetType } from "../../domain/runs/run.ts";

/** Differences between the creation of trace runs and of session runs. */
export interface TargetKind {
  readonly targetType: TargetType;
  /** True if the targets of a run over listed ids are judged strictly one after the other. */
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
