import type { TargetType } from "../../domain/runs/run.ts";
import type { TargetKind } from "./target-work.ts";

/** What a run can be about. */
export type TargetKinds = Readonly<Record<TargetType, TargetKind>>;
