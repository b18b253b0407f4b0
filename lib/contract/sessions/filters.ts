import * as v from "valibot";
import type { SessionFilters } from "../../domain/traces/filters.ts";
import { closedObject, withoutNulls } from "../closed-object.ts";
import { numberBetween } from "../fields.ts";
import { sharedFilters } from "../traces/filters.ts";

const traceCount = v.pipe(
  numberBetween(1, Number.MAX_SAFE_INTEGER),
  v.integer("Input should be a valid integer"),
  v.description("Sessions with so many matching traces or more."),
);

/**
 * What selects sessions: date, user and tags select traces, the rest looks at the sessions of those traces. Unknown keys
 * are refused as those of traces are.
 */
export const sessionFilters = v.pipe(
  closedObject({
    ...sharedFilters,
    has_error: v.nullish(
      v.pipe(
        v.boolean("Input should be a valid boolean"),
        v.description("Whether one of the session's matching traces has the status ERROR."),
      ),
    ),
    min_trace_count: v.nullish(traceCount),
  }),
  v.transform(withoutNulls),
  v.title("SessionFilters"),
  v.description(
    "What selects sessions, by those of their traces that match; all of it must match. Null means not set, an empty " +
      "object matches everything. A session that is selected is evaluated with all of its traces.",
  ),
) satisfies v.GenericSchema<unknown, SessionFilters>;
