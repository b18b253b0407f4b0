import { instantAt } from "../../domain/instant.ts";
import { addUsage, addCounts, type RunCounts, outcomeOf } from "../../domain/runs/run.ts";
import { ifAbsent, type Write } from "../../dynamo/items.ts";
import { type StoredRun, packUsage } from "./codec.ts";
import { failedRunsPartition, runKey, sliceKey } from "./keys.ts";
import { scoreItems, sessionScoreItems } from "../scores/codec.ts";
import type { CheckedScore } from "./settled-pairs.ts";
import type { StoredSlice } from "./slice-codec.ts";
import { rowKey } from "../traces/keys.ts";

/** Builds the writes of the transaction by which a slice commits its settled pairs; their table is `runs` by default. */
export const settlementWrites = (now: () => number) => ({
  /**
   * Update of the slice to its state after the commit. Its condition fails when the lease was lost or the commit was
   * already made.
   */
  slice: (before: StoredSlice, after: StoredSlice): Write => ({
    update: sliceKey(before.slice.projectId, before.slice.runId, before.slice.id),
    change:
      "SET settled = :settled, failed = :failed, #missing = :missing, #state = :state, #until = :until, used = :used, " +
      `commits = :after, fruitless = :zero${after.slice.example === null ? "" : ", example = :example"}` +
      (after.slice.scoreless === undefined ? "" : ", scoreless = :scoreless") +
      `${after.counted === before.counted ? "" : ", counted = :counted"} ` +
      "REMOVE away_since, waiting",
    when: "epoch = :epoch AND #state = :open AND commits = :before",
    values: {
      ":settled": after.slice.bits.settled,
      ":failed": after.slice.bits.failed,
      ":missing": after.slice.bits.missing,
      ":state": after.slice.state,
      ":until": after.until,
      ":used": packUsage(after.slice.usage),
      ":before": before.commits,
      ":after": after.commits,
      ":zero": 0,
      ":epoch": before.epoch,
      ":open": "open",
      ":example": after.slice.example,
      ":scoreless": after.slice.scoreless,
      ":counted": after.counted,
    },
  }),

  /** Update that adds a finished slice to its run; the last slice ends the run. */
  run: (storedRun: StoredRun, { slice: { usage, example }, counted }: StoredSlice, counts: RunCounts): Write => {
    const { order } = storedRun.run;
    const total = addCounts(storedRun.run, counts);
    const isLastSlice = storedRun.slicesLeft === 1;
    const outcome = isLastSlice ? outcomeOf(order, total, storedRun.example ?? example) : null;
    const sets = [
      "evaluated = :evaluated, failed = :failed, scored = :scored, #missing = :missing, lost = :lost, used = :used",
      "slices_left = :after",
      ...(storedRun.counted === null || counted === 0 ? [] : ["counted = :counted"]),
      ...(example === null ? [] : ["example = if_not_exists(example, :example)"]),
      ...(outcome === null ? [] : ["#status = :status, completed_at = :at, error_message = :message"]),
      ...(outcome?.status === "FAILED" ? ["open_key = :list"] : []),
    ];
    return {
      update: runKey(order.projectId, order.id),
      change: `SET ${sets.join(", ")}${outcome?.status === "COMPLETED" ? " REMOVE open_key" : ""}`,
      // Only one slice at a time can end: a writer with an outdated count of open slices reads the run again.
      when: "slices_left = :before AND #status IN (:pending, :running)",
      values: {
        ":evaluated": total.evaluated,
        ":failed": total.failed,
        ":scored": total.scored,
        ":missing": total.missing,
        ":lost": total.lost,
        ":used": packUsage(addUsage(storedRun.run.usage, usage)),
        ":before": storedRun.slicesLeft,
        ":after": storedRun.slicesLeft - 1,
        ":pending": "PENDING",
        ":running": "RUNNING",
        ":example": example,
        ":counted": (storedRun.counted ?? 0) + counted,
        ":status": outcome?.status,
        ":at": instantAt(now()),
        ":message": outcome?.errorMessage,
        ":list": failedRunsPartition(order.projectId, order.targetType),
      },
    };
  },

  /** Check that the row of a score's target still exists with the same incarnation. */
  check: ({ score, check }: CheckedScore): Write => ({
    table: "rows",
    check: rowKey(score.project_id, check.traceId, check),
    when: "i = :i AND attribute_exists(d)",
    values: { ":i": check.incarnation },
  }),

  /** Writes of the score's items, on condition that they do not exist. */
  puts: ({ score, check }: CheckedScore): readonly Write[] => {
    const items = "trace_id" in score ? scoreItems(score, check) : sessionScoreItems(score, check.expiresAt);
    return items.map((put) => ({ table: "scores", put, when: ifAbsent }));
  },
});
