import * as v from "valibot";
import type { TraceFilters } from "../../domain/traces/filter.ts";
import { traceStatuses } from "../../domain/traces/trace.ts";
import { closedObject, withoutNulls } from "../closed-object.ts";
import { instant, instantAsWritten, listOf, once, oneOf, tags, text } from "../fields.ts";

const started = { from: "Started then or later.", to: "Started before then." };
const partOfName = "Part of the name, in any case.";

/** Every filter of traces, as bodies have it. */
export const traceFilterFields = {
  date_from: v.nullish(v.pipe(instantAsWritten, v.description(started.from))),
  date_to: v.nullish(v.pipe(instantAsWritten, v.description(started.to))),
  status: v.nullish(oneOf(traceStatuses)),
  session_id: v.nullish(text(255)),
  user_id: v.nullish(text(255)),
  tags: v.nullish(v.pipe(tags, v.description("Any of these."))),
  name: v.nullish(v.pipe(text(512), v.description(partOfName))),
} satisfies Record<keyof TraceFilters, v.GenericSchema>;

/**
 * What selects traces. Values stay as they were written; keys that are null are dropped. An unknown key is refused: a
 * misspelt filter that matches everything costs money.
 */
export const traceFilters = v.pipe(
  closedObject(traceFilterFields),
  v.transform(withoutNulls),
  v.title("TraceFilters"),
  v.description("What selects traces; all of it must match. Null means not set, an empty object matches everything."),
) satisfies v.GenericSchema<unknown, TraceFilters>;

/** The query parameter of lists that sets each filter. */
export const traceFilterParameters = {
  date_from: "started_after",
  date_to: "started_before",
  status: "status",
  session_id: "session_id",
  user_id: "user_id",
  tags: "tags",
  name: "name",
} as const satisfies Record<keyof TraceFilters, string>;

/** Every filter of traces, as queries have it. */
export const traceFilterQuery = {
  user_id: v.optional(once(text(255))),
  /** Repeated: `tags=a&tags=b`. */
  tags: v.optional(v.pipe(listOf(text(255), 100), v.description("Any of these; repeat the parameter for each."))),
  started_after: v.optional(once(v.pipe(instant, v.description(started.from)))),
  started_before: v.optional(once(v.pipe(instant, v.description(started.to)))),
  session_id: v.optional(once(text(255))),
  status: v.optional(once(oneOf(traceStatuses))),
  name: v.optional(once(v.pipe(text(512), v.description(partOfName)))),
} satisfies Record<(typeof traceFilterParameters)[keyof TraceFilters], v.GenericSchema>;
