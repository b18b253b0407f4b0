import { millisecondsBetween } from "../instant.ts";
import { isTelemetryTrace } from "./telemetry.ts";
import type { Span, Trace } from "./trace.ts";

/** Milliseconds by which clocks of two machines may differ, and by which a span may outlive its trace. */
const tolerance = 60_000;

/**
 * True if an OpenTelemetry span starts or ends more than 60 seconds before the start or after the end of its trace,
 * which its top spans determine.
 */
export const isOutsideTrace = (
  trace: Pick<Trace, "started_at" | "ended_at" | "metadata">,
  { started_at: start, ended_at: end }: Pick<Span, "started_at" | "ended_at">,
): boolean =>
  isTelemetryTrace(trace) &&
  [start, end ?? start].some(
    (at) =>
      millisecondsBetween(at, trace.started_at) > tolerance ||
      (trace.ended_at !== null && millisecondsBetween(trace.ended_at, at) > tolerance),
  );
