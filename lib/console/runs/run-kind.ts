import type { EvalRun } from "../../client/interface.ts";

/** Page of the runs of traces or of those of sessions. */
export type RunKind = "runs" | "session-runs";

/** Returns true if nothing more is judged for a run. */
export const isFinished = ({ status }: EvalRun): boolean => status === "COMPLETED" || status === "FAILED";
