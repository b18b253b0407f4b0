import type { DynamoDBStreamEvent } from "aws-lambda";
import * as v from "valibot";
import type { HourKey } from "../store/hour-keys.ts";
import type { TraceCounts } from "../store/trace-counts.ts";
import { changedHours, hourKeys, withChanges, type ChangedHours } from "./changed-hours.ts";
import { countChanges } from "./count-changes.ts";
import { rowChanges } from "./row-change.ts";

/** The event of a mapping with a tumbling window, which alone names its shard. The call that ends it has no records. */
export interface WindowEvent extends Partial<DynamoDBStreamEvent> {
  readonly shardId?: string;
  readonly state?: unknown;
  readonly isFinalInvokeForWindow?: boolean;
}

/** Hours that a window's state carries at most: it may have 1 MB, an hour with a project of its own takes 70 bytes. */
const mostHours = 5_000;

/**
 * Makes the function that follows the rows' stream: counters are folded with every batch, hours that changed are computed
 * once at the end of a window, and earlier when they become many.
 */
export const traceWindow =
  (counts: TraceCounts, refresh: (keys: readonly HourKey[]) => Promise<void>) =>
  async (event: WindowEvent): Promise<{ readonly state: ChangedHours }> => {
    if (event.shardId === undefined) throw new Error("The event names no shard: its mapping has no window.");
    const changes = rowChanges(event.Records ?? []);
    await counts.fold(event.shardId, countChanges(changes));
    const state = withChanges(v.parse(changedHours, event.state), changes);
    const keys = hourKeys(state);
    if (event.isFinalInvokeForWindow !== true && keys.length < mostHours) return { state };
    await refresh(keys);
    return { state: {} };
  };
