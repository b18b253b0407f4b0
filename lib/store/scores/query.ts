import type { QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { NothingElse } from "../../domain/nothing-else.ts";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import { copyPartition, listPartition, runScoresPartition, type ScoreTarget } from "./keys.ts";

/** Below and above every instant as text. */
const [beforeAll, afterAll] = ["0", ":"];

/** What clients narrow lists to, and the life of the trace that `target_id` names. */
export interface ScoreFilter extends ScoreFilters {
  readonly incarnation?: string | undefined;
}

/** The attribute of a stored score that each filter must equal; null for those that the key answers. */
const attributes = {
  target_id: null,
  incarnation: "i",
  name: "n",
  source: "so",
  status: "st",
  data_type: "dt",
  eval_run_id: "r",
  environment: "e",
  date_from: null,
  date_to: null,
} as const satisfies Readonly<Record<keyof ScoreFilter, string | null>>;

/** The narrowest place that has all scores of a filter: the copies of a target, the index by run, or the one by creation. */
const sourceOf = (target: ScoreTarget, project: string, { target_id: id, eval_run_id: run }: ScoreFilter) => {
  if (id !== undefined) {
    const partition = copyPartition(target, project, id);
    return { key: "pk", sort: "sk", partition, read: { ConsistentRead: true }, answersRun: false };
  }
  if (run !== undefined) {
    const partition = runScoresPartition(project, run);
    return { key: "run_key", sort: "order_key", partition, read: { IndexName: "by-run" }, answersRun: true };
  }
  const partition = listPartition(target, project);
  return { key: "list_key", sort: "order_key", partition, read: { IndexName: "by-creation" }, answersRun: true };
};

/**
 * The query of the scores that match a filter, newest first, and the attribute that orders them.
 *
 * @param now epoch milliseconds; what has expired does not match.
 * @returns null when nothing can match.
 */
export const scoreQuery = <Given extends ScoreFilter>(
  target: ScoreTarget,
  project: string,
  filter: NothingElse<ScoreFilter, Given>,
  now: number,
): { readonly query: Omit<QueryCommandInput, "TableName">; readonly sort: string } | null => {
  const { date_from: from = beforeAll, date_to: to = afterAll } = filter;
  if (from >= to) return null;
  const { key, sort, partition, read, answersRun } = sourceOf(target, project, filter);
  const wanted: Readonly<Record<string, string | undefined>> = {
    ...filter,
    ...(answersRun && { eval_run_id: undefined }),
  };
  const given: { readonly attribute: string; readonly value: string }[] = Object.entries(attributes).flatMap(
    ([name, attribute]) => {
      const value = wanted[name];
      return attribute === null || value === undefined ? [] : [{ attribute, value }];
    },
  );
  // A session run has scores of traces beside those of sessions.
  if (read.IndexName === "by-run") given.push({ attribute: "list_key", value: listPartition(target, project) });
  return {
    sort,
    query: {
      ...read,
      // An order has an id behind its instant, so that none is equal to either bound.
      KeyConditionExpression: `${key} = :partition AND ${sort} BETWEEN :from AND :to`,
      FilterExpression: [
        "(attribute_not_exists(#ttl) OR #ttl > :now)",
        ...given.map(({ attribute }) => `${attribute} = :${attribute}`),
      ].join(" AND "),
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: {
        ":partition": partition,
        ":from": from,
        ":to": to,
        ":now": Math.floor(now / 1000),
        ...Object.fromEntries(given.map(({ attribute, value }) => [`:${attribute}`, value])),
      },
      ScanIndexForward: false,
    },
  };
};
