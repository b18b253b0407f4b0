import { Refusal } from "../refusal.ts";

/** Seconds after a trace's deletion in which its id takes no telemetry, since exporters repeat requests: 24 hours. */
export const deletedTraceSeconds = 86_400;

/** Message to the sender of telemetry, spans or changes of a deleted trace, and of a trace with the id of one that was erased. */
export const traceDeletedDetail =
  "The trace was deleted (trace_deleted): for 24 hours its id takes no telemetry, late spans, scores or changes. `POST /traces` with the id begins a new trace, unless the trace was erased with its user.";

/** Returns the refusal of telemetry, late spans and changes of a deleted trace, and of an erased trace that is sent again. */
export const traceDeleted = (): Refusal =>
  new Refusal({ kind: "not-found", code: "trace_deleted", detail: traceDeletedDetail });
