import type { ExactKeys } from "../../domain/exact-keys.ts";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import type { Query } from "../../dynamo/items.ts";
import type { Source } from "../totals/newest-first.ts";
import {
  copyPartition,
  failedScoresPartitions,
  listPartitions,
  runScoresPartition,
  scorePrefix,
  type ScoreTarget,
} from "./keys.ts";

/** Bounds below and above every instant as text. */
const [beforeAll, afterAll] = ["0", ":"];

/** Filters of score lists, and the incarnation of the trace that `target_id` names. */
export interface ScoreFilter extends ScoreFilters {
  readonly incarnation?: string | undefined;
  /** Incarnations of traces, or ids of sessions, to which the scores belong. */
  readonly targets?: Pick<ReadonlyMap<string, unknown>, "has"> | undefined;
}

/**
 * Attribute of a stored score that must equal the value of each filter; null for filters that are applied by key or to
 * the packed score.
 */
const attributes = {
  target_id: null,
  incarnation: "i",
  name: "n",
  source: "so",
  status: "st",
  data_type: "dt",
  eval_run_id: "r",
  environment: "e",
  judge: "j",
  model: null,
  min_value: null,
  max_value: null,
  success: null,
  applicable: null,
  span_id: null,
  metric_version: null,
  stale: null,
  date_from: null,
  date_to: null,
  targets: null,
} as const satisfies Readonly<Record<keyof ScoreFilter, string | null>>;

/**
 * Returns the smallest index or partition with all scores that match a filter: copies of a target, index by run, or
 * index by time.
 */
const accessPathOf = (
  target: ScoreTarget,
  project: string,
  { target_id: id, eval_run_id: run }: ScoreFilter,
  isFailedOnly: boolean,
) => {
  if (id !== undefined) return { key: "pk", sort: "sk", partitions: [copyPartition(target, project, id)], read: {} };
  const sort = "order_key";
  if (run !== undefined)
    return { key: "run_key", sort, partitions: [runScoresPartition(project, run)], read: { index: "by-run" } };
  const partitions = (isFailedOnly ? failedScoresPartitions : listPartitions)(target, project);
  return { key: "time_key", sort, partitions, read: { index: "by-time" } };
};

/** Queries that together return the scores that match a filter, each newest first. */
export interface ScoreSources {
  /** Attribute by which the sources are sorted. */
  readonly sort: string;
  readonly sources: readonly Source[];
}

/**
 * Returns the queries for the scores that match a filter.
 *
 * @param isFailedOnly true to read the sparse list of failed scores where the filter names no target and no run.
 * @param now epoch milliseconds; expired scores do not match.
 * @returns null when nothing can match.
 */
export const scoreQueries = <Filter extends ScoreFilter>(
  target: ScoreTarget,
  project: string,
  filter: ExactKeys<ScoreFilter, Filter>,
  now: number,
  isFailedOnly = false,
): ScoreSources | null => {
  const { date_from: from = beforeAll, date_to: to = afterAll, target_id: id } = filter;
  if (from >= to) return null;
  const { key, sort, partitions, read } = accessPathOf(target, project, filter, isFailedOnly);
  const filterValues: Readonly<Record<string, unknown>> = {
    ...filter,
    // Of a judge's id, `<provider>/<model>#<version>`, the attribute has the version.
    judge: filter.judge?.slice(filter.judge.lastIndexOf("#") + 1),
    // The index by run selects the run by key; only copies of a target need the attribute.
    ...(id === undefined && { eval_run_id: undefined }),
  };
  const equalities: { readonly attribute: string; readonly value: unknown }[] = Object.entries(attributes).flatMap(
    ([name, attribute]) => {
      const value = filterValues[name];
      return attribute === null || value === undefined ? [] : [{ attribute, value }];
    },
  );
  // The index of a session run also contains scores of traces.
  const pkPrefixes = key === "run_key" ? [scorePrefix(target, project)] : [];
  const sourceOf = (partition: string): Source => ({
    ...read,
    // A sort key has an id after its instant, so it never equals a bound.
    where: `${key} = :partition AND ${sort} BETWEEN :from AND :to`,
    filter: [
      "(attribute_not_exists(#ttl) OR #ttl > :now)",
      ...equalities.map(({ attribute }) => `${attribute} = :${attribute}`),
      ...pkPrefixes.map(() => "begins_with(pk, :kind)"),
    ].join(" AND "),
    values: {
      ":partition": partition,
      ":from": from,
      ":to": to,
      ":now": Math.floor(now / 1000),
      ...Object.fromEntries(equalities.map(({ attribute, value }) => [`:${attribute}`, value])),
      ...Object.fromEntries(pkPrefixes.map((kind) => [":kind", kind])),
    },
  });
  return { sort, sources: partitions.map(sourceOf) };
};

/** Returns the query for the scores of one target that match a filter, newest first; null when nothing can match. */
export const targetQuery = <Filter extends ScoreFilter & { readonly target_id: string }>(
  target: ScoreTarget,
  project: string,
  filter: ExactKeys<ScoreFilter, Filter>,
  now: number,
): Query | null => {
  const [source] = scoreQueries<ScoreFilter>(target, project, filter, now)?.sources ?? [];
  return source === undefined ? null : { ...source, descending: true };
};

/** Returns the queries for all of a project's matching scores; empty when nothing can match. */
export const allSources = <Filter extends Omit<ScoreFilter, "target_id" | "eval_run_id">>(
  target: ScoreTarget,
  project: string,
  filter: ExactKeys<Omit<ScoreFilter, "target_id" | "eval_run_id">, Filter>,
  now: number,
): readonly Source[] => scoreQueries<ScoreFilter>(target, project, filter, now)?.sources ?? [];
