import * as v from "valibot";
import type { SessionFilters, SessionListFilters } from "../../domain/sessions/filter.ts";
import { closedObject, withoutNulls } from "../closed-object.ts";
import { numberBetween, once, text } from "../fields.ts";
import { flag } from "../list-query.ts";
import { traceFilterFields, traceFilterParameters, traceFilterQuery } from "../traces/filters.ts";

const traceCount = v.pipe(
  numberBetween(1, Number.MAX_SAFE_INTEGER),
  v.integer("Input should be a valid integer"),
  v.description("Sessions with so many matching traces or more."),
);

/** Every filter of the sessions of a run, as bodies have it. */
const sessionFilterFields = {
  date_from: traceFilterFields.date_from,
  date_to: traceFilterFields.date_to,
  user_id: traceFilterFields.user_id,
  tags: traceFilterFields.tags,
  has_error: v.nullish(
    v.pipe(
      v.boolean("Input should be a valid boolean"),
      v.description("Whether one of the session's matching traces has the status ERROR."),
    ),
  ),
  min_trace_count: v.nullish(traceCount),
} satisfies Record<keyof SessionFilters, v.GenericSchema>;

/**
 * What selects sessions: date, user and tags select traces, the rest looks at the sessions of those traces. Unknown keys
 * are refused as those of traces are.
 */
export const sessionFilters = v.pipe(
  closedObject(sessionFilterFields),
  v.transform(withoutNulls),
  v.title("SessionFilters"),
  v.description(
    "What selects sessions, by those of their traces that match; all of it must match. Null means not set, an empty " +
      "object matches everything. A session that is selected is evaluated with all of its traces.",
  ),
) satisfies v.GenericSchema<unknown, SessionFilters>;

/** The query parameter of lists that sets each filter. */
export const sessionFilterParameters = {
  date_from: traceFilterParameters.date_from,
  date_to: traceFilterParameters.date_to,
  user_id: traceFilterParameters.user_id,
  tags: traceFilterParameters.tags,
  has_error: "has_error",
  query: "query",
} as const satisfies Record<keyof SessionListFilters, string>;

type SessionFilterParameter = (typeof sessionFilterParameters)[keyof SessionListFilters];

/** Every filter of the sessions of a list, as queries have it. */
export const sessionFilterQuery = {
  user_id: traceFilterQuery.user_id,
  tags: traceFilterQuery.tags,
  started_after: traceFilterQuery.started_after,
  started_before: traceFilterQuery.started_before,
  query: v.optional(once(v.pipe(text(255), v.description("Part of the session's id, in any case.")))),
  has_error: v.optional(flag),
} satisfies Record<SessionFilterParameter, v.GenericSchema>;
