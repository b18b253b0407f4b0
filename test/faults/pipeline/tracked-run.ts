import type { Observer } from "../aggregates/observer.ts";
import type { PlannedRun } from "./planned-run.ts";

/** A run of a schedule, and how far it has come. */
export interface Tracked extends PlannedRun {
  readonly watch: Observer;
  /** Somebody will delete it; with its scores, or without. */
  readonly doomed: "with" | "without" | null;
  /** It is too late for that. */
  spared: boolean;
  deletions: number;
  /** What was stored of its scores when its deletion was acknowledged; null before that. */
  deletedWith: ReadonlySet<string> | null;
  acked: boolean;
  dispatched: boolean;
  dispatches: number;
  attempts: number;
  ended: boolean;
}
