import * as v from "valibot";
import type { SessionFilters, SessionListFilters } from "../../domain/sessions/filter.ts";
import type { TraceFilters } from "../../domain/traces/filter.ts";
import { closedObject } from "../schema/closed-object.ts";
import { resolveStartAliases, startAliases } from "../list-query.ts";
import { numberBetween, singleValue, text } from "../schema/fields.ts";
import {
  booleanFilter,
  booleanQuery,
  traceFilterFields,
  traceFilterFieldsWithoutDates,
  traceFilterParameters,
  traceFilterParametersWithoutDates,
  traceFilterQuery,
  traceFilterQueryWithoutDates,
} from "../traces/filters.ts";

const traceCount = v.pipe(
  numberBetween(1, Number.MAX_SAFE_INTEGER),
  v.integer("Input should be a valid integer"),
  v.description("Minimum number of matching traces in a session."),
);

/** Refuses filters of traces that sessions lack; they have to be removed in `sharedFilters`. */
type WithoutTraceFilters = { readonly [Name in Exclude<keyof TraceFilters, keyof SessionFilters>]?: never };

/** Returns the ranges, labels and conditions of trace filters, which lists and runs of sessions have too. */
const sharedFilters = <Filters extends Record<keyof typeof traceFilterFieldsWithoutDates, unknown>>({
  user_id: _userId,
  tags: _tags,
  status: _status,
  session_id: _sessionId,
  name: _name,
  has_error: _hasError,
  has_failed_span: _hasFailedSpan,
  has_session: _hasSession,
  ...filters
}: Filters) => filters;

const errorDescription = "True: sessions with a matching trace of status ERROR; false: all others.";
const failedSpanDescription =
  "True: sessions with a matching trace of status ERROR or with a failed span, such as a tool call; false: all others.";

/** Schemas of the session filters of runs and monitors. */
const sessionFilterFields = {
  date_from: traceFilterFields.date_from,
  date_to: traceFilterFields.date_to,
  user_id: traceFilterFields.user_id,
  tags: traceFilterFields.tags,
  has_error: booleanFilter(errorDescription),
  has_failed_span: booleanFilter(failedSpanDescription),
  min_trace_count: v.nullish(traceCount),
  ...sharedFilters(traceFilterFieldsWithoutDates),
} satisfies Record<keyof SessionFilters, v.GenericSchema> & WithoutTraceFilters;

/**
 * Schema of the session filters of runs and monitors. Date, user, tags, model, tool, release, environment, prompt, experiment and
 * metadata select traces; the other filters apply to the sessions of these traces. Unknown keys are refused.
 */
export const sessionFilters = v.pipe(
  closedObject({ ...sessionFilterFields, ...startAliases }),
  v.transform(resolveStartAliases),
  v.title("SessionFilters"),
  v.description(
    "Session filters, which must all match, applied to the matching traces of a session. A filter that is null is ignored; an " +
      "empty object matches all sessions. A matching session is evaluated with all of its traces.",
  ),
) satisfies v.GenericSchema<unknown, SessionFilters>;

/** Query parameter of each filter of session lists. */
export const sessionFilterParameters = {
  date_from: traceFilterParameters.date_from,
  date_to: traceFilterParameters.date_to,
  user_id: traceFilterParameters.user_id,
  tags: traceFilterParameters.tags,
  has_error: "has_error",
  has_failed_span: "has_failed_span",
  query: "query",
  ...sharedFilters(traceFilterParametersWithoutDates),
} as const satisfies Record<keyof SessionListFilters, string> & WithoutTraceFilters;

type SessionFilterParameter = (typeof sessionFilterParameters)[keyof SessionListFilters];

/** Schemas of the filters of session lists in queries. */
export const sessionFilterQuery = {
  user_id: traceFilterQuery.user_id,
  tags: traceFilterQuery.tags,
  started_after: traceFilterQuery.started_after,
  started_before: traceFilterQuery.started_before,
  query: v.optional(
    singleValue(v.pipe(text(255), v.description("Part of the session id; case and accents do not matter."))),
  ),
  has_error: booleanQuery(errorDescription),
  has_failed_span: booleanQuery(failedSpanDescription),
  ...sharedFilters(traceFilterQueryWithoutDates),
} satisfies Record<SessionFilterParameter, v.GenericSchema> & WithoutTraceFilters;
