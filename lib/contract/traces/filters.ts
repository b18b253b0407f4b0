import * as v from "valibot";
import type { TraceFilters } from "../../domain/traces/filters.ts";
import { traceStatuses } from "../../domain/traces/trace.ts";
import { closedObject, withoutNulls } from "../closed-object.ts";
import { instantAsWritten, oneOf, tags, text } from "../fields.ts";

/** Filters that traces and sessions share. */
export const sharedFilters = {
  date_from: v.nullish(v.pipe(instantAsWritten, v.description("Started then or later."))),
  date_to: v.nullish(v.pipe(instantAsWritten, v.description("Started before then."))),
  user_id: v.nullish(text(255)),
  tags: v.nullish(v.pipe(tags, v.description("Any of these."))),
};

/**
 * What selects traces. Values stay as they were written; keys that are null are dropped. An unknown key is refused: a
 * misspelt filter that matches everything costs money.
 */
export const traceFilters = v.pipe(
  closedObject({
    date_from: sharedFilters.date_from,
    date_to: sharedFilters.date_to,
    status: v.nullish(oneOf(traceStatuses)),
    session_id: v.nullish(text(255)),
    user_id: sharedFilters.user_id,
    tags: sharedFilters.tags,
    name: v.nullish(v.pipe(text(512), v.description("Part of the name, in any case."))),
  }),
  v.transform(withoutNulls),
  v.title("TraceFilters"),
  v.description("What selects traces; all of it must match. Null means not set, an empty object matches everything."),
) satisfies v.GenericSchema<unknown, TraceFilters>;
