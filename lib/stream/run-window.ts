import type { DynamoDBRecord } from "aws-lambda";
import { awaitAll } from "../async/concurrency.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import { openPartition } from "../store/runs/keys.ts";
import type { counterStore } from "../store/totals/counters.ts";
import { monitorRunEnds, type MonitorRunEnd } from "./monitor-run-end.ts";
import { isEventRecord } from "./outbox-records.ts";
import { runCounts } from "./run-counts.ts";
import { runOfRecord, type RunKey } from "./run-record.ts";
import type { WindowEvent } from "./window-event.ts";

/** True if the record is about a run that has ended or was deleted. */
const isClosed = ({ dynamodb }: DynamoDBRecord): boolean =>
  dynamodb?.OldImage?.["open_key"]?.S === openPartition && dynamodb.NewImage?.["open_key"]?.S !== openPartition;

/** Reactions to changes of runs. */
export interface RunFollower {
  /** Sends the slices of a run to the judge queue. */
  readonly start: (project: string, run: string) => Promise<void>;
  /** Removes a run that has ended or was deleted from the rotations of fair-share turns. */
  readonly end: (project: string, run: string) => Promise<void>;
  /** Notes how runs of monitors have ended, and why some cannot go on. */
  readonly note: (ends: readonly MonitorRunEnd[]) => Promise<void>;
  /** Removes data of deleted runs for a limited time, and never fails. */
  readonly purge: (runs: readonly RunKey[]) => Promise<void>;
}

const isPending = ({ dynamodb }: DynamoDBRecord): boolean => dynamodb?.NewImage?.["status"]?.S === "PENDING";

const isNewlyDeleted = ({ eventName, dynamodb }: DynamoDBRecord): boolean =>
  eventName === "MODIFY" &&
  dynamodb?.NewImage?.["status"]?.S === "DELETED" &&
  dynamodb.NewImage["open_key"]?.S === "deleted";

/**
 * Creates the handler of the runs stream. It starts committed runs, ends turns of closed ones, and updates the run counters
 * concurrently; after a failure the batch is repeated, because all of it is idempotent. Deleted runs come last: one reader of the
 * stream does all, so that its second reader stays free.
 */
export const runWindow =
  (
    { start, end, note, purge }: RunFollower,
    counters: Pick<ReturnType<typeof counterStore>, "fold">,
    living: ExistingProjects,
  ) =>
  async ({ shardId, Records: records = [] }: WindowEvent): Promise<{ readonly state: Record<string, never> }> => {
    const runRecords = records.filter((record) => !isEventRecord(record));
    const follow = async (): Promise<void> => {
      for (const record of runRecords) {
        const react = isPending(record) ? start : isClosed(record) ? end : null;
        if (react === null) continue;
        const { project, run } = runOfRecord(record);
        await react(project, run);
      }
    };
    const count = async (): Promise<void> => {
      if (shardId === undefined) throw new Error("The event has no shard id: its mapping needs a tumbling window.");
      const recorded = runCounts(runRecords);
      if (recorded.length === 0) return;
      const alive = await living(recorded.map(({ project }) => project));
      await counters.fold(
        shardId,
        recorded.filter(({ project }) => alive.has(project)),
      );
    };
    const noteEnds = async (): Promise<void> => {
      const ends = monitorRunEnds(records);
      if (ends.length === 0) return;
      const alive = await living(ends.map(({ project }) => project));
      await note(ends.filter(({ project }) => alive.has(project)));
    };
    await awaitAll([follow(), count(), noteEnds()]);
    await purge(runRecords.filter(isNewlyDeleted).map(runOfRecord));
    return { state: {} };
  };
