import * as v from "valibot";
import { instant, json, labelled, text } from "../schema/fields.ts";
import { langfuseId } from "./scores.ts";

const time = v.nullish(instant);
const label = v.nullish(labelled(v.string()));

/** Schema of an event, which is parsed apart from the others. */
export const langfuseEvent = v.object({
  id: labelled(text(255, 1)),
  type: text(255, 1),
  timestamp: v.nullish(v.string()),
  body: v.nullish(json),
});

/** Schema of the fields of a `trace-create` event that are no attributes of its trace. */
export const langfuseTrace = v.object({
  id: langfuseId,
  timestamp: time,
  name: label,
  sessionId: label,
  userId: label,
});

export type LangfuseTrace = v.InferOutput<typeof langfuseTrace>;

/** Schema of the fields of an event of an observation that are no attributes of its span. */
export const langfuseObservation = v.object({
  id: langfuseId,
  traceId: langfuseId,
  parentObservationId: langfuseId,
  name: label,
  type: label,
  startTime: time,
  endTime: time,
  level: label,
  statusMessage: v.nullish(json),
});

export type LangfuseObservation = v.InferOutput<typeof langfuseObservation>;
