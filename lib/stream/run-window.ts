import type { DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { allEnded } from "../async/all-ended.ts";
import type { LivingProjects } from "../store/access/living-projects.ts";
import type { counterStore } from "../store/counters.ts";
import { runCounts } from "./run-counts.ts";
import { runOfRecord } from "./run-of-record.ts";

/** The event of a mapping with a tumbling window, which alone names its shard. The call that ends it has no records. */
interface WindowEvent extends Partial<DynamoDBStreamEvent> {
  readonly shardId?: string;
}

const isPending = ({ dynamodb }: DynamoDBRecord): boolean => dynamodb?.NewImage?.["status"]?.S === "PENDING";

/**
 * Makes the function that follows the runs' stream: runs that are committed are set going, and runs are counted. Neither waits
 * for the other: what fails is done again, and both may be.
 *
 * @param start sets a run going.
 */
export const runWindow =
  (
    start: (project: string, run: string) => Promise<void>,
    counters: Pick<ReturnType<typeof counterStore>, "fold">,
    living: LivingProjects,
  ) =>
  async ({ shardId, Records = [] }: WindowEvent): Promise<{ readonly state: Record<string, never> }> => {
    const startAll = async (): Promise<void> => {
      for (const record of Records.filter(isPending)) {
        const { project, run } = runOfRecord(record);
        await start(project, run);
      }
    };
    const count = async (): Promise<void> => {
      if (shardId === undefined) throw new Error("The event names no shard: its mapping has no window.");
      const recorded = runCounts(Records);
      if (recorded.length === 0) return;
      const alive = await living(recorded.map(({ project }) => project));
      await counters.fold(
        shardId,
        recorded.filter(({ project }) => alive.has(project)),
      );
    };
    await allEnded([startAll(), count()]);
    return { state: {} };
  };
