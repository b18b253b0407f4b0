import type { TargetType } from "../../domain/runs/run.ts";

/** Differences between the creation of trace runs and of session runs. */
export interface RunTargetKind {
  readonly targetType: TargetType;
  /** True if the targets of a run over listed ids are judged strictly one after the other. */
  readonly sequentialWhenListed: boolean;
}

export const traceRunTargets: RunTargetKind = {
  targetType: "TRACE",
  sequentialWhenListed: true,
};

export const sessionRunTargets: RunTargetKind = {
  targetType: "SESSION",
  sequentialWhenListed: false,
};
