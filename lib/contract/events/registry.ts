import type * as v from "valibot";
import { invitationCreated } from "./access.ts";
import {
  alertCleared,
  alertRaised,
  monitorFailed,
  monitorFired,
  monitorSkipped,
  scoreBelowThreshold,
} from "./monitors.ts";
import { judgeUnavailable, runCompleted, runFailed, runWaiting, spendThresholdReached } from "./runs.ts";

/** Schemas of the events by kind, which is their `detail-type`. A new kind is a new entry. */
export const eventSchemas = {
  "run.completed": runCompleted,
  "run.failed": runFailed,
  "run.waiting": runWaiting,
  "judge.unavailable": judgeUnavailable,
  "spend.threshold_reached": spendThresholdReached,
  "monitor.fired": monitorFired,
  "monitor.skipped": monitorSkipped,
  "monitor.failed": monitorFailed,
  "score.below_threshold": scoreBelowThreshold,
  "alert.raised": alertRaised,
  "alert.cleared": alertCleared,
  "invitation.created": invitationCreated,
} as const satisfies Readonly<Record<string, v.GenericSchema>>;

export type EventKind = keyof typeof eventSchemas;

type Detail<Kind extends EventKind> = v.InferInput<(typeof eventSchemas)[Kind]>;

/** Fields of an event that its producer knows: those of its kind. */
export type EventFields<Kind extends EventKind> = Omit<
  Detail<Kind>,
  "id" | "version" | "stage" | "organization_id" | "project_id" | "time" | "url"
>;
