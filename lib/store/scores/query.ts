import type { QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { NothingElse } from "../../domain/nothing-else.ts";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import type { Source } from "../newest-first.ts";
import {
  copyPartition,
  formerListPartition,
  listPartitions,
  runScoresPartition,
  scorePrefix,
  type ScoreTarget,
} from "./keys.ts";

/** Below and above every instant as text. */
const [beforeAll, afterAll] = ["0", ":"];

/** What clients narrow lists to, and the life of the trace that `target_id` names. */
export interface ScoreFilter extends ScoreFilters {
  readonly incarnation?: string | undefined;
}

/** The attribute of a stored score that each filter must equal; null for those that the key or the score itself answers. */
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
} as const satisfies Readonly<Record<keyof ScoreFilter, string | null>>;

/** The narrowest place that has all scores of a filter: the copies of a target, the index by run, or the one by time. */
const placeOf = (target: ScoreTarget, project: string, { target_id: id, eval_run_id: run }: ScoreFilter) => {
  if (id !== undefined)
    return { key: "pk", sort: "sk", partitions: [copyPartition(target, project, id)], read: { ConsistentRead: true } };
  const sort = "order_key";
  if (run !== undefined)
    return { key: "run_key", sort, partitions: [runScoresPartition(project, run)], read: { IndexName: "by-run" } };
  return { key: "time_key", sort, partitions: listPartitions(target, project), read: { IndexName: "by-time" } };
};

/** Where the scores are that match a filter, each source with the newest ones first. */
export interface ScoreSources {
  /** The attribute that orders them. */
  readonly sort: string;
  readonly sources: readonly Source[];
  /** What previous versions have listed by creation, and nobody has counted: as much as sources of the index by time lack. */
  readonly former: Source;
}

/**
 * The sources of the scores that match a filter.
 *
 * @param now epoch milliseconds; what has expired does not match.
 * @returns null when nothing can match.
 */
export const scoreSources = <Given extends ScoreFilter>(
  target: ScoreTarget,
  project: string,
  filter: NothingElse<ScoreFilter, Given>,
  now: number,
): ScoreSources | null => {
  const { date_from: from = beforeAll, date_to: to = afterAll, target_id: id } = filter;
  if (from >= to) return null;
  const { key, sort, partitions, read } = placeOf(target, project, filter);
  const wanted: Readonly<Record<string, unknown>> = {
    ...filter,
    // Its key says it, unless it is a target's.
    ...(id === undefined && { eval_run_id: undefined }),
  };
  const given: { readonly attribute: string; readonly value: unknown }[] = Object.entries(attributes).flatMap(
    ([name, attribute]) => {
      const value = wanted[name];
      return attribute === null || value === undefined ? [] : [{ attribute, value }];
    },
  );
  const sourceOf = (place: object, partitionKey: string, partition: string, more: readonly string[] = []): Source => ({
    ...place,
    // An order has an id behind its instant, so that none is equal to either bound.
    KeyConditionExpression: `${partitionKey} = :partition AND ${sort} BETWEEN :from AND :to`,
    FilterExpression: [
      "(attribute_not_exists(#ttl) OR #ttl > :now)",
      ...given.map(({ attribute }) => `${attribute} = :${attribute}`),
      ...more.map(() => "begins_with(pk, :kind)"),
    ].join(" AND "),
    ExpressionAttributeNames: { "#ttl": "ttl" },
    ExpressionAttributeValues: {
      ":partition": partition,
      ":from": from,
      ":to": to,
      ":now": Math.floor(now / 1000),
      ...Object.fromEntries(given.map(({ attribute, value }) => [`:${attribute}`, value])),
      ...Object.fromEntries(more.map((kind) => [":kind", kind])),
    },
  });
  // A session run has scores of traces beside those of sessions.
  const kind = key === "run_key" ? [scorePrefix(target, project)] : [];
  return {
    sort,
    sources: partitions.map((partition) => sourceOf(read, key, partition, kind)),
    former: sourceOf({ IndexName: "by-creation" }, "list_key", formerListPartition(target, project)),
  };
};

/** The one source of a target's scores that match, as a query that gives the newest first; null when nothing can match. */
export const targetQuery = <Given extends ScoreFilter & { readonly target_id: string }>(
  target: ScoreTarget,
  project: string,
  filter: NothingElse<ScoreFilter, Given>,
  now: number,
): Omit<QueryCommandInput, "TableName"> | null => {
  const [source] = scoreSources<ScoreFilter>(target, project, filter, now)?.sources ?? [];
  return source === undefined ? null : { ...source, ScanIndexForward: false };
};

/** Every source of the scores of a project that match, whichever version has listed them; none when nothing can match. */
export const allSources = <Given extends Omit<ScoreFilter, "target_id" | "eval_run_id">>(
  target: ScoreTarget,
  project: string,
  filter: NothingElse<Omit<ScoreFilter, "target_id" | "eval_run_id">, Given>,
  now: number,
): readonly Source[] => {
  const found = scoreSources<ScoreFilter>(target, project, filter, now);
  return found === null ? [] : [...found.sources, found.former];
};
