import type { DynamoDBStreamEvent } from "aws-lambda";
import * as v from "valibot";
import type { HourKey } from "../store/hours/keys.ts";
import type { LivingProjects } from "../store/access/living-projects.ts";
import type { SegmentRemoval } from "../store/sessions/changed-segments.ts";
import type { TraceCounts } from "../store/traces/counts.ts";
import { changedHours, hourKeys, withChanges, type ChangedHours } from "./changed-hours.ts";
import { countChanges } from "./count-changes.ts";
import { rowChanges } from "./row-change.ts";
import { sessionChanges } from "./session-changes.ts";

/** The event of a mapping with a tumbling window, which alone names its shard. The call that ends it has no records. */
export interface WindowEvent extends Partial<DynamoDBStreamEvent> {
  readonly shardId?: string;
  readonly state?: unknown;
  readonly isFinalInvokeForWindow?: boolean;
}

/** Hours that a window's state carries at most: it may have 1 MB, an hour with a project of its own takes 70 bytes. */
const mostHours = 5_000;

/**
 * Makes the function that follows the rows' stream: counters are folded and sums of sessions removed with every batch, hours that changed are computed
 * once at the end of a window, and earlier when they become many. Of a project that is being deleted nothing is written,
 * however late its records come: nobody would look for it later than the deletion does.
 */
export const traceWindow =
  (
    counts: TraceCounts,
    removeSegments: SegmentRemoval,
    refresh: (keys: readonly HourKey[]) => Promise<void>,
    living: LivingProjects,
    now: () => number = Date.now,
  ) =>
  async (event: WindowEvent): Promise<{ readonly state: ChangedHours }> => {
    if (event.shardId === undefined) throw new Error("The event names no shard: its mapping has no window.");
    const recorded = rowChanges(event.Records ?? []);
    const before = v.parse(changedHours, event.state);
    const alive = await living([...recorded.map(({ project }) => project), ...Object.keys(before)]);
    const changes = recorded.filter(({ project }) => alive.has(project));
    await counts.fold(event.shardId, countChanges(changes));
    const moved = sessionChanges(event.Records ?? [], now()).filter(({ project }) => alive.has(project));
    await removeSegments(moved);
    const state = withChanges(before, changes);
    const keys = hourKeys(state).filter(({ project }) => alive.has(project));
    if (event.isFinalInvokeForWindow !== true && keys.length < mostHours) return { state };
    await refresh(keys);
    return { state: {} };
  };
