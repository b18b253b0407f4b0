import * as v from "valibot";
import type { HourKey } from "../store/hours/keys.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import type { SegmentRemoval } from "../store/sessions/changed-segments.ts";
import type { CountChange, TraceCounts } from "../store/traces/counts.ts";
import { changedHours, hourKeys, withChanges, type ChangedHours } from "./changed-hours.ts";
import { rowChanges, type RowChange } from "./row-change.ts";
import { sessionChanges } from "./session-changes.ts";
import type { WindowEvent } from "./window-event.ts";

/** Hours in the state of a window, at most. Lambda's limit is 1 MB, and an hour of a project takes up to 70 bytes. */
const maxHours = 5_000;

/** Converts changes of trace rows to changes of the counters of traces. */
const countChanges = (changes: readonly RowChange[]): readonly CountChange[] =>
  changes.flatMap(({ project, before, after, sequence }) => {
    if (before === after) return [];
    return [
      ...(before === null ? [] : [{ project, expiry: before, change: -1 as const, sequence }]),
      ...(after === null ? [] : [{ project, expiry: after, change: 1 as const, sequence }]),
    ];
  });

/**
 * Creates the handler of the rows stream. Every batch updates the counters and removes outdated sums of sessions; changed hours
 * are recomputed at the end of a window, or earlier if there are too many. It skips projects that are being deleted, because
 * data written after the deletion would never be removed.
 */
export const traceWindow =
  (
    counts: TraceCounts,
    removeSegments: SegmentRemoval,
    refresh: (keys: readonly HourKey[]) => Promise<void>,
    living: ExistingProjects,
    now: () => number = Date.now,
  ) =>
  async (event: WindowEvent): Promise<{ readonly state: ChangedHours }> => {
    if (event.shardId === undefined) throw new Error("The event has no shard id: its mapping needs a tumbling window.");
    const recorded = rowChanges(event.Records ?? []);
    const before = v.parse(changedHours, event.state);
    const alive = await living([...recorded.map(({ project }) => project), ...Object.keys(before)]);
    const changes = recorded.filter(({ project }) => alive.has(project));
    await counts.fold(event.shardId, countChanges(changes));
    const moved = sessionChanges(event.Records ?? [], now()).filter(({ project }) => alive.has(project));
    await removeSegments(moved);
    const state = withChanges(before, changes);
    const keys = hourKeys(state).filter(({ project }) => alive.has(project));
    if (event.isFinalInvokeForWindow !== true && keys.length < maxHours) return { state };
    await refresh(keys);
    return { state: {} };
  };
