import { hash } from "node:crypto";
import type { Instant } from "../../domain/instant.ts";

/** Kind of object that a score belongs to. */
export type ScoreTarget = "trace" | "session";

const kinds = { trace: "score", session: "session-score" } as const satisfies Record<ScoreTarget, string>;

/** Prefix of the keys of all scores of a kind. */
export const scorePrefix = (target: ScoreTarget, project: string): string => `${project}#${kinds[target]}#`;

const keyOf = (target: ScoreTarget, project: string, score: string) => ({
  pk: scorePrefix(target, project) + score,
  sk: "score",
});

/** Key of a trace's score. */
export const scoreKey = (project: string, score: string) => keyOf("trace", project, score);

/** Key of a session's score; its prefix differs, so that no id belongs to both kinds. */
export const sessionScoreKey = (project: string, score: string) => keyOf("session", project, score);

/** Partition of score copies, for reads by trace or by session. */
export const copyPartition = (target: ScoreTarget, project: string, id: string): string => `${project}#${target}#${id}`;

/**
 * Number of partitions of a project's scores in the index by time: a partition takes 1,000 writes per second, and
 * each page of a list reads all of them.
 */
const listShards = 4;

const listShard = (target: ScoreTarget, project: string, shard: number): string =>
  `${project}#${kinds[target]}s#${shard}`;

/** Partition of a score in the index by time. The table's stream counts its scores. */
export const listPartition = (target: ScoreTarget, project: string, score: string): string => {
  const [first = 0] = hash("sha256", score, "buffer");
  return listShard(target, project, first % listShards);
};

const failedPartitionOf = (partition: string): string => `${partition}#failed`;

/** All partitions of a project's scores in the index by time. */
export const listPartitions = (target: ScoreTarget, project: string): readonly string[] =>
  Array.from({ length: listShards }, (_, shard) => listShard(target, project, shard));

/**
 * Partition of a failed score's copy in the index by time: the sparse list of failed scores. The score itself is in the
 * list of all scores.
 */
export const failedScoresPartition = (target: ScoreTarget, project: string, score: string): string =>
  failedPartitionOf(listPartition(target, project, score));

/** All partitions of a project's failed scores in the index by time. */
export const failedScoresPartitions = (target: ScoreTarget, project: string): readonly string[] =>
  listPartitions(target, project).map(failedPartitionOf);

/** Partition of the scores of a run, in their index. */
export const runScoresPartition = (project: string, run: string): string => `${project}#run#${run}`;

/** Returns the run id in the partition key of a run's scores. */
export const runOfPartition = (partition: string): string => partition.slice(partition.lastIndexOf("#") + 1);

/** Sort key of scores in their lists: by creation, then by id. Texts of instants sort like the instants. */
export const scoreOrder = (createdAt: Instant, id: string): string => `${createdAt}#${id}`;

/** Returns the score id in a sort key of a score list. */
export const idOfOrder = (order: string): string => order.slice(order.indexOf("#") + 1);

/** Returns the creation time in a sort key of a score list. */
export const instantOfOrder = (order: string): Instant => order.slice(0, order.indexOf("#"));

/** Returns the target kind of a score (trace or session) from its partition key. */
export const targetOfKey = (partition: string): ScoreTarget =>
  partition.split("#", 2)[1] === kinds.session ? "session" : "trace";

/** Returns the id of the trace or session in the partition of a copy; an id may contain `#`. */
export const idOfCopy = (partition: string): string => partition.split("#").slice(2).join("#");

/** Project and target kind of a copy, by its partition; null for another partition. */
export const targetOfCopy = (partition: string): { readonly project: string; readonly target: ScoreTarget } | null => {
  const [project = "", kind] = partition.split("#", 2);
  return kind === "trace" || kind === "session" ? { project, target: kind } : null;
};
