import { createHash } from "node:crypto";
import type { Hour } from "../../domain/analytics/bucket.ts";
import type { ScoreTarget } from "./keys.ts";

/** Partition of the statistics of a project's scores, in the table of aggregates. */
export const statisticsPartition = (target: ScoreTarget, project: string): string => `${project}#${target}-scores`;

/** A name of any length and alphabet as 16 characters. */
export const nameHash = (name: string): string =>
  createHash("sha256").update(name).digest().subarray(0, 12).toString("base64url");

/** Sort key of what one shard of the stream told of the scores of one name that were made in an hour. */
export const statisticsSort = (hour: Hour, name: string, shard: string): string => `${hour}#${nameHash(name)}#${shard}`;
