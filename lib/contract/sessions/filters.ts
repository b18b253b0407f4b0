import * as v from "valibot";
import type { SessionFilters, SessionListFilters } from "../../domain/sessions/filter.ts";
import { closedObject } from "../closed-object.ts";
import { byOwnNames, otherStartNames } from "../filter-names.ts";
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
 * What selects sessions: date, user, tags, model, tool, release, environment and metadata select traces, the rest looks at
 * the sessions of those traces. Unknown keys are refused as those of traces are.
 */
export const sessionFilters = v.pipe(
  closedObject({ ...sessionFilterFields, ...otherStartNames }),
  v.transform(byOwnNames),
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

/** Every filter of the sessions of a list, as queries have it. */
export const sessionFilterQuery = {
  user_id: traceFilterQuery.user_id,
  tags: traceFilterQuery.tags,
  started_after: traceFilterQuery.started_after,
  started_before: traceFilterQuery.started_before,
  query: v.optional(once(v.pipe(text(255), v.description("Part of the session's id, in any case.")))),
  has_error: v.optional(flag),
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
