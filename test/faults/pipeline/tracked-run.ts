import type { Observer } from "../aggregates/observer.ts";
import type { PlannedRun } from "./planned-run.ts";

/** A run of a schedule with its progress. */
export interface Tracked extends PlannedRun {
  readonly watch: Observer;
  /** Mode of the run's deletion: with or without its scores; null when the run is not deleted. */
  readonly deletionMode: "with" | "without" | null;
  /** True once the run may no longer be deleted. */
  spared: boolean;
  deletions: number;
  /** Ids of the stored scores at the time when the deletion was acknowledged; null before. */
  deletedWith: ReadonlySet<string> | null;
  acked: boolean;
  dispatched: boolean;
  dispatches: number;
  attempts: number;
  hasEnded: boolean;
  /** True if the ended run has left the rotations of fair-share turns. */
  hasLeft: boolean;
}
