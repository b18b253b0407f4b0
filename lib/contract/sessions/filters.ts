import * as v from "valibot";
import type { SessionFilters, SessionListFilters } from "../../domain/sessions/filter.ts";
import { closedObject } from "../schema/closed-object.ts";
import { resolveStartAliases, startAliases } from "../filter-aliases.ts";
import { numberBetween, singleValue, text } from "../schema/fields.ts";
import { booleanParameter } from "../list-query.ts";
import { traceFilterFields, traceFilterParameters, traceFilterQuery } from "../traces/filters.ts";

const traceCount = v.pipe(
  numberBetween(1, Number.MAX_SAFE_INTEGER),
  v.integer("Input should be a valid integer"),
  v.description("Minimum number of matching traces in a session."),
);

/** Schemas of the session filters of runs and monitors. */
const sessionFilterFields = {
  date_from: traceFilterFields.date_from,
  date_to: traceFilterFields.date_to,
  user_id: traceFilterFields.user_id,
  tags: traceFilterFields.tags,
  has_error: v.nullish(
    v.pipe(
      v.boolean("Input should be a valid boolean"),
      v.description("True: sessions with a matching trace of status ERROR; false: all others."),
    ),
  ),
  min_trace_count: v.nullish(traceCount),
  min_latency_ms: traceFilterFields.min_latency_ms,
  max_latency_ms: traceFilterFields.max_latency_ms,
  min_cost: traceFilterFields.min_cost,
  max_cost: traceFilterFields.max_cost,
  min_tokens: traceFilterFields.min_tokens,
  max_tokens: traceFilterFields.max_tokens,
  model: traceFilterFields.model,
  tool: traceFilterFields.tool,
  release: traceFilterFields.release,
  environment: traceFilterFields.environment,
  metadata: traceFilterFields.metadata,
  score: traceFilterFields.score,
  no_score: traceFilterFields.no_score,
} satisfies Record<keyof SessionFilters, v.GenericSchema>;

/**
 * Schema of the session filters of runs and monitors. Date, user, tags, model, tool, release, environment and metadata select
 * traces; the other filters apply to the sessions of these traces. Unknown keys are refused.
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
  query: "query",
  min_latency_ms: traceFilterParameters.min_latency_ms,
  max_latency_ms: traceFilterParameters.max_latency_ms,
  min_cost: traceFilterParameters.min_cost,
  max_cost: traceFilterParameters.max_cost,
  min_tokens: traceFilterParameters.min_tokens,
  max_tokens: traceFilterParameters.max_tokens,
  model: traceFilterParameters.model,
  tool: traceFilterParameters.tool,
  release: traceFilterParameters.release,
  environment: traceFilterParameters.environment,
  metadata: traceFilterParameters.metadata,
  score: traceFilterParameters.score,
  no_score: traceFilterParameters.no_score,
} as const satisfies Record<keyof SessionListFilters, string>;

type SessionFilterParameter = (typeof sessionFilterParameters)[keyof SessionListFilters];

/** Schemas of the filters of session lists in queries. */
export const sessionFilterQuery = {
  user_id: traceFilterQuery.user_id,
  tags: traceFilterQuery.tags,
  started_after: traceFilterQuery.started_after,
  started_before: traceFilterQuery.started_before,
  query: v.optional(singleValue(v.pipe(text(255), v.description("Part of the session id, case-insensitive.")))),
  has_error: v.optional(booleanParameter),
  min_latency_ms: traceFilterQuery.min_latency_ms,
  max_latency_ms: traceFilterQuery.max_latency_ms,
  min_cost: traceFilterQuery.min_cost,
  max_cost: traceFilterQuery.max_cost,
  min_tokens: traceFilterQuery.min_tokens,
  max_tokens: traceFilterQuery.max_tokens,
  model: traceFilterQuery.model,
  tool: traceFilterQuery.tool,
  release: traceFilterQuery.release,
  environment: traceFilterQuery.environment,
  metadata: traceFilterQuery.metadata,
  score: traceFilterQuery.score,
  no_score: traceFilterQuery.no_score,
} satisfies Record<SessionFilterParameter, v.GenericSchema>;
