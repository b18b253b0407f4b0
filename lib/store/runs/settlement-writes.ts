import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { instantAt } from "../../domain/instant.ts";
import { addUsage } from "../../domain/runs/judge-usage.ts";
import { addCounts, type RunCounts } from "../../domain/runs/run.ts";
import { outcomeOf } from "../../domain/runs/outcome.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import type { Database } from "../database.ts";
import type { StoredRun } from "./codec.ts";
import { runKey, sliceKey } from "./keys.ts";
import { scoreItems, sessionScoreItems } from "../scores/codec.ts";
import type { WitnessedScore } from "./settled.ts";
import type { StoredSlice } from "./slice-codec.ts";
import { rowKey } from "../traces/keys.ts";
import { packUsage } from "./usage-codec.ts";

export type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The actions a commit is made of. */
export const settlementWrites = ({ table }: Database, now: () => number) => ({
  /** The slice, by who holds it, as it is after the commit. A commit that was made already cannot be made again. */
  slice: (before: StoredSlice, after: StoredSlice): Action => ({
    Update: {
      TableName: table("runs"),
      Key: sliceKey(before.slice.projectId, before.slice.runId, before.slice.id),
      UpdateExpression:
        "SET settled = :settled, failed = :failed, #missing = :missing, #state = :state, #until = :until, used = :used, " +
        `commits = :after, fruitless = :zero${after.slice.example === null ? "" : ", example = :example"}` +
        `${after.slice.scoreless === undefined ? "" : ", scoreless = :scoreless"} ` +
        "REMOVE away_since, waiting",
      ConditionExpression: "epoch = :epoch AND #state = :open AND commits = :before",
      ExpressionAttributeNames: { "#state": "state", "#until": "until", "#missing": "missing" },
      ExpressionAttributeValues: {
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
        ...(after.slice.example === null ? {} : { ":example": after.slice.example }),
        ...(after.slice.scoreless === undefined ? {} : { ":scoreless": after.slice.scoreless }),
      },
    },
  }),

  /** What the end of a slice adds to its run; the last slice ends the run. */
  run: (stored: StoredRun, { usage, example }: Slice, counts: RunCounts): Action => {
    const { order } = stored.run;
    const total = addCounts(stored.run, counts);
    const last = stored.slicesLeft === 1;
    const outcome = last ? outcomeOf(order, total, stored.example ?? example) : null;
    const sets = [
      "evaluated = :evaluated, failed = :failed, scored = :scored, #missing = :missing, lost = :lost, used = :used",
      "slices_left = :after",
      ...(example === null ? [] : ["example = if_not_exists(example, :example)"]),
      ...(outcome === null ? [] : ["#status = :status, completed_at = :at, error_message = :message"]),
    ];
    return {
      Update: {
        TableName: table("runs"),
        Key: runKey(order.projectId, order.id),
        UpdateExpression: `SET ${sets.join(", ")}${last ? " REMOVE open_key" : ""}`,
        // Slices end one after the other: who read an older count reads again.
        ConditionExpression: "slices_left = :before AND #status IN (:pending, :running)",
        ExpressionAttributeNames: { "#status": "status", "#missing": "missing" },
        ExpressionAttributeValues: {
          ":evaluated": total.evaluated,
          ":failed": total.failed,
          ":scored": total.scored,
          ":missing": total.missing,
          ":lost": total.lost,
          ":used": packUsage(addUsage(stored.run.usage, usage)),
          ":before": stored.slicesLeft,
          ":after": stored.slicesLeft - 1,
          ":pending": "PENDING",
          ":running": "RUNNING",
          ...(example === null ? {} : { ":example": example }),
          ...(outcome === null
            ? {}
            : { ":status": outcome.status, ":at": instantAt(now()), ":message": outcome.errorMessage }),
        },
      },
    };
  },

  /** That the row a score rests on is still there, in the same incarnation. */
  check: ({ score, witness }: WitnessedScore): Action => ({
    ConditionCheck: {
      TableName: table("rows"),
      Key: rowKey(score.project_id, witness.traceId, witness.startedAt),
      ConditionExpression: "i = :i AND attribute_exists(d)",
      ExpressionAttributeValues: { ":i": witness.incarnation },
    },
  }),

  /** The items of a score, put where nothing is. */
  puts: ({ score, witness }: WitnessedScore): readonly Action[] => {
    const items = "trace_id" in score ? scoreItems(score, witness) : sessionScoreItems(score, witness.expiresAt);
    return items.map((Item) => ({
      Put: { TableName: table("scores"), Item, ConditionExpression: "attribute_not_exists(pk)" },
    }));
  },
});
