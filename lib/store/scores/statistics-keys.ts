import { createHash } from "node:crypto";
import type { Hour } from "../../domain/analytics/bucket.ts";
import type { ScoreTarget } from "./keys.ts";

/** Partition of the statistics of a project's scores, in the table of aggregates. */
export const statisticsPartition = (target: ScoreTarget, project: string): string => `${project}#${target}-scores`;

/** Hash of a name of any length and alphabet, 16 characters. */
export const nameHash = (name: string): string =>
  createHash("sha256").update(name).digest().subarray(0, 12).toString("base64url");

/** Sort key of a partial sum: the scores of one name created in one hour, as reported by one stream shard. */
export const statisticsSort = (hour: Hour, name: string, shard: string): string => `${hour}#${nameHash(name)}#${shard}`;
