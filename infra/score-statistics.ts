import { Construct } from "constructs";
import { scoreFilters } from "../lib/stream/score-change.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/** Worker of the scores' stream: maintains score statistics, list totals and the newest score of each target. */
export class ScoreStatistics extends Construct {
  readonly followScores: StreamWorker;

  constructor(scope: Construct, id: string, parts: StackParts, deadLetters: DeadLetters) {
    super(scope, id);
    // The mapping started at the oldest record of the stream; statistics that existed then record which changes they include.
    this.followScores = new StreamWorker(this, "FollowScores", parts, {
      handler: "workers/follow-scores",
      description:
        "Adds new, edited and deleted scores to statistics and counters, and finds the newest score of each target",
      impact: "Statistics of scores and totals of score lists miss these records.",
      memory: 512,
      timeout: 60,
      grants: {
        scores: ["BatchGetItem", "Query"],
        aggregates: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // Alert rules, which new data make due, and rows of scored traces for rules with trace filters.
        monitors: ["Query", "UpdateItem"],
        rows: ["GetItem", "Query"],
        // Starts of traces whose scores do not name them, to mark changed days of the lake.
        bodies: ["GetItem"],
        // Check for projects that are being deleted.
        access: { BatchGetItem: ["project"] },
      },
      table: parts.data.table("scores"),
      filters: scoreFilters,
      batchSize: 1000,
      retryAttempts: 50,
      tumblingWindow: 2,
      deadLetters,
    });
  }
}
