import { Construct } from "constructs";
import { scoreFilters } from "../lib/stream/score-change.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/** Keeps the statistics of scores and the newest of each name, by the stream of the scores. */
export class ScoreStatistics extends Construct {
  constructor(scope: Construct, id: string, parts: StackParts, deadLetters: DeadLetters) {
    super(scope, id);
    new StreamWorker(this, "FoldScoreStatistics", parts, {
      handler: "workers/fold-score-statistics",
      description: "Folds new, edited and deleted scores into their statistics, and finds the newest of each trace",
      impact: "Statistics of scores are wrong by its records.",
      memory: 512,
      timeout: 60,
      grants: {
        scores: ["Query"],
        aggregates: ["GetItem", "BatchGetItem", "Query", "PutItem"],
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
