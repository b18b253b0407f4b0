import { createHash } from "node:crypto";
import type { Instant } from "../../domain/instant.ts";

/** What a score is of. */
export type ScoreTarget = "trace" | "session";

const kinds = { trace: "score", session: "session-score" } as const satisfies Record<ScoreTarget, string>;

/** What the keys of all scores of a kind begin with. */
export const scorePrefix = (target: ScoreTarget, project: string): string => `${project}#${kinds[target]}#`;

const keyOf = (target: ScoreTarget, project: string, score: string) => ({
  pk: scorePrefix(target, project) + score,
  sk: "score",
});

/** Key of a trace's score. */
export const scoreKey = (project: string, score: string) => keyOf("trace", project, score);

/** Key of a session's score: of a kind of its own, so that no id is an id of both. */
export const sessionScoreKey = (project: string, score: string) => keyOf("session", project, score);

/** Partition of the copies that serve reads by trace or by session. */
export const copyPartition = (target: ScoreTarget, project: string, id: string): string => `${project}#${target}#${id}`;

/** A partition takes 1,000 writes a second, and a page of a list asks each of them. */
const listShards = 4;

const listShard = (target: ScoreTarget, project: string, shard: number): string =>
  `${project}#${kinds[target]}s#${shard}`;

/** Partition of a score in the index by time. Scores in it are counted as their stream tells. */
export const listPartition = (target: ScoreTarget, project: string, score: string): string => {
  const [first = 0] = createHash("sha256").update(score).digest();
  return listShard(target, project, first % listShards);
};

/** Every partition of a project's scores in the index by time. */
export const listPartitions = (target: ScoreTarget, project: string): readonly string[] =>
  Array.from({ length: listShards }, (_, shard) => listShard(target, project, shard));

/** Where previous versions list them, in the index by creation: nobody has counted those. */
export const formerListPartition = (target: ScoreTarget, project: string): string => `${project}#${kinds[target]}s`;

/** Partition of the scores of a run, in their index. */
export const runScoresPartition = (project: string, run: string): string => `${project}#run#${run}`;

/** The run of such a partition. */
export const runOfPartition = (partition: string): string => partition.slice(partition.lastIndexOf("#") + 1);

/** Orders scores by creation, then by id; texts of instants order as the instants do. */
export const scoreOrder = (createdAt: Instant, id: string): string => `${createdAt}#${id}`;

/** The score id in an order. */
export const idOfOrder = (order: string): string => order.slice(order.indexOf("#") + 1);

/** When the score of an order was created. */
export const instantOfOrder = (order: string): Instant => order.slice(0, order.indexOf("#"));

/** Which kind a stored score's key is of. */
export const targetOfKey = (partition: string): ScoreTarget =>
  partition.split("#", 2)[1] === kinds.session ? "session" : "trace";
