import * as v from "valibot";
import { logContext, type LogContext } from "../log-context.ts";

/** Queue message: a run slice is due. It holds ids only; the work is described in the database. */
export interface SliceMessage {
  readonly project: string;
  readonly run: string;
  readonly slice: string;
}

const text = v.exactOptional(v.string());

const message = v.object({
  v: v.literal(1),
  project: v.string(),
  run: v.string(),
  slice: v.string(),
  /** Absent in messages of builds before 1.0.0. */
  origin: v.optional(v.object({ organization_id: text, key_id: text, traceparent: text }), {}),
});

/** Serializes a slice message, with the origin of the current log context. */
export const writeSliceMessage = (slice: SliceMessage): string => {
  const { organization_id, key_id, traceparent } = logContext();
  return JSON.stringify({ v: 1, ...slice, origin: { organization_id, key_id, traceparent } });
};

/** Returns the ids for log lines about a slice message; none when the text is not one. */
export const logContextOfMessage = (body: string): LogContext => {
  try {
    const { project, run, origin } = v.parse(message, JSON.parse(body));
    return { project_id: project, run_id: run, ...origin };
  } catch {
    return {};
  }
};

/** Parses a slice message. @throws Error if the text is not a slice message of a known version. */
export const readSliceMessage = (text: string): SliceMessage => {
  const { project, run, slice } = v.parse(message, JSON.parse(text));
  return { project, run, slice };
};
