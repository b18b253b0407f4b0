import type { QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { ScoreFilter } from "../../domain/scores/filter.ts";
import { copyPartition, listPartition, runScoresPartition, type ScoreTarget } from "./keys.ts";

/** Below and above every instant as text. */
const [beforeAll, afterAll] = ["0", ":"];

/** The narrowest place that has all scores of a filter: the copies of a target, the index by run, or the one by creation. */
const sourceOf = (target: ScoreTarget, project: string, { targetId, runId }: ScoreFilter) => {
  if (targetId !== undefined) {
    const partition = copyPartition(target, project, targetId);
    return { key: "pk", sort: "sk", partition, read: { ConsistentRead: true }, run: runId };
  }
  if (runId !== undefined) {
    const partition = runScoresPartition(project, runId);
    return { key: "run_key", sort: "order_key", partition, read: { IndexName: "by-run" }, run: undefined };
  }
  const partition = listPartition(target, project);
  return { key: "list_key", sort: "order_key", partition, read: { IndexName: "by-creation" }, run: undefined };
};

/**
 * The query of the scores that match a filter, newest first, and the attribute that orders them.
 *
 * @param now epoch milliseconds; what has expired does not match.
 * @returns null when nothing can match.
 */
export const scoreQuery = (
  target: ScoreTarget,
  project: string,
  filter: ScoreFilter,
  now: number,
): { readonly query: Omit<QueryCommandInput, "TableName">; readonly sort: string } | null => {
  const { from = beforeAll, to = afterAll } = filter;
  if (from >= to) return null;
  const { key, sort, partition, read, run } = sourceOf(target, project, filter);
  const wanted: readonly (readonly [string, string | undefined])[] = [
    ["i", filter.incarnation],
    ["n", filter.name],
    ["st", filter.status],
    ["so", filter.source],
    ["dt", filter.dataType],
    ["e", filter.environment],
    ["r", run],
    // A session run has scores of traces beside those of sessions.
    ["list_key", read.IndexName === "by-run" ? listPartition(target, project) : undefined],
  ];
  const given = wanted.flatMap(([attribute, value]) => (value === undefined ? [] : [{ attribute, value }]));
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
