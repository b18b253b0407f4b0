import type { TraceFilters } from "../../domain/traces/filter.ts";
import { filtersFromQuery } from "../list-query.ts";
import { traceFilterParameters, traceFilterQuery } from "../traces/filters.ts";

const { name, status, model, ...parametersOfSameName } = traceFilterParameters;

/**
 * Query parameter of each trace filter on scores. Parameters are named as on lists of traces, except those whose names
 * mean the score itself.
 */
export const scoreTraceParameters = {
  ...parametersOfSameName,
  name: `trace_${name}`,
  status: `trace_${status}`,
  model: `trace_${model}`,
} as const satisfies Record<keyof TraceFilters, string>;

type ScoreTraceParameter = (typeof scoreTraceParameters)[keyof TraceFilters];

const { name: nameText, status: statusText, model: modelText, ...schemasOfSameName } = traceFilterQuery;

/** Schemas of the trace filters in queries about scores: a score matches if its trace does, or a trace of its session. */
export const scoreTraceQuery = {
  ...schemasOfSameName,
  trace_name: nameText,
  trace_status: statusText,
  trace_model: modelText,
} satisfies Record<ScoreTraceParameter, unknown>;

const parameterNames: ReadonlySet<string> = new Set(Object.values(scoreTraceParameters));

/**
 * Splits the query of a route about scores into the filters of traces, null if it has none, and all other parameters.
 *
 * @param ownParameters parameters of the route itself that are named like filters of traces.
 */
export const splitTraceFilters = <Query extends object, Own extends ScoreTraceParameter = never>(
  query: Query,
  ownParameters: readonly Own[] = [],
): { readonly traceFilters: TraceFilters | null; readonly rest: Omit<Query, Exclude<ScoreTraceParameter, Own>> } => {
  const ownNames: ReadonlySet<string> = new Set(ownParameters);
  const isOfTraces = ([name]: readonly [string, unknown]): boolean => parameterNames.has(name) && !ownNames.has(name);
  const entries = Object.entries(query);
  const ofTraces: object = Object.fromEntries(entries.filter(isOfTraces));
  const rest: object = Object.fromEntries(entries.filter((entry) => !isOfTraces(entry)));
  const isFiltered = Object.values(ofTraces).some((value) => value !== undefined);
  return {
    traceFilters: isFiltered ? filtersFromQuery(scoreTraceParameters, ofTraces) : null,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.fromEntries` loses the names of the keys.
    rest: rest as Omit<Query, Exclude<ScoreTraceParameter, Own>>,
  };
};
