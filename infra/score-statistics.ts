import { Construct } from "constructs";
import { scoreFilters } from "../lib/stream/score-change.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/** Keeps the statistics, the numbers and the newest of scores, by their stream. */
export class ScoreStatistics extends Construct {
  constructor(scope: Construct, id: string, parts: StackParts, deadLetters: DeadLetters) {
    super(scope, id);
    // Its mapping began with the oldest record that the stream had: sums that were there then know what is in them.
    new StreamWorker(this, "FollowScores", parts, {
      handler: "workers/follow-scores",
      description:
        "Folds new, edited and deleted scores into their statistics and numbers, and finds the newest of each target",
      impact: "Statistics of scores, and totals of their lists, are wrong by its records.",
      memory: 512,
      timeout: 60,
      grants: {
        scores: ["Query"],
        aggregates: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // Whether a project is being deleted.
        access: ["BatchGetItem"],
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
