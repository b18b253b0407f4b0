import { millisecondsBetween } from "../instant.ts";
import { setStartOf } from "./parts/set-fields.ts";
import { derivedFields } from "./derivation/derived-fields.ts";
import { isTelemetryTrace, topSpansOf } from "./telemetry.ts";
import type { Span, Trace } from "./trace.ts";

/**
 * How a trace of OpenTelemetry spans without a top span ends: `awaited` while it runs, `silence` once no span has
 * arrived for the project's `trace_silence`. Null for all other traces.
 */
export type TraceEnding = "awaited" | "silence" | null;

const awaitsSilence = (trace: Trace): boolean =>
  isTelemetryTrace(trace) &&
  trace.status === "RUNNING" &&
  trace.ended_at === null &&
  (trace.spans.length > 0 || setStartOf(trace.metadata) !== null) &&
  topSpansOf(trace.spans).length === 0;

/** Returns how a trace, as it is shown, ends. */
export const endingOf = (trace: Trace): TraceEnding => trace.ended_by ?? (awaitsSilence(trace) ? "awaited" : null);

/**
 * Returns a trace as it is shown: one that ended by silence has the status and the end of its spans, unless a client has
 * set others. Its document knows nothing of the silence, so that a later span opens the trace again.
 */
export const shownTrace = (document: Trace, ending: TraceEnding): Trace => {
  if (ending !== "silence") return document;
  const [open, ended] = [false, true].map((isSilent) => derivedFields(document.spans, document.metadata, isSilent));
  if (open == null || ended == null) return document;
  return {
    ...document,
    status: document.status === open.status ? ended.status : document.status,
    ended_at: document.ended_at === open.ended_at ? ended.ended_at : document.ended_at,
    ended_by: "silence",
  };
};

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
