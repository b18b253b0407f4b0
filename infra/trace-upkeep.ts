import { Construct, type IConstruct } from "constructs";
import { removalFilters } from "../lib/stream/removal-of-record.ts";
import { waitingFilters } from "../lib/stream/waiting-document.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/** What follows a change of a trace, by the stream of the rows. */
export class TraceUpkeep extends Construct {
  /** What the stream's workers gave up; others may put theirs there. */
  readonly deadLetters: DeadLetters;
  private readonly aggregate: IConstruct;

  constructor(scope: Construct, id: string, parts: StackParts) {
    super(scope, id);
    const aggregate = new StreamWorker(this, "AggregateTraces", parts, {
      handler: "workers/aggregate-traces",
      description: "Keeps the totals of traces and the sums of their hours",
      impact: "Totals of unfiltered trace lists and analytics are wrong by its records until they are rebuilt.",
      memory: 1024,
      timeout: 120,
      grants: {
        rows: ["GetItem", "Query"],
        bodies: ["Query"],
        aggregates: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // Whether a project is being deleted.
        access: ["BatchGetItem"],
      },
      table: parts.data.table("rows"),
      // Only a row has a version: fences and lists of days in this table do not count.
      filters: [
        { dynamodb: { NewImage: { v: { N: [{ exists: true }] } } } },
        { dynamodb: { OldImage: { v: { N: [{ exists: true }] } } } },
      ],
      batchSize: 1000,
      retryAttempts: 50,
      tumblingWindow: 2,
    });
    this.aggregate = aggregate.worker.function;
    this.deadLetters = aggregate.deadLetters;
    new StreamWorker(this, "PurgeTraces", parts, {
      handler: "workers/purge-traces",
      description: "Removes what deleted traces and sessions have left, and puts small pieces of documents together",
      impact: "Parts and scores of deleted traces, which nobody can read, are still stored.",
      memory: 512,
      timeout: 300,
      grants: {
        rows: ["GetItem", "Query", "PutItem"],
        bodies: ["GetItem", "Query", "PutItem", "DeleteItem"],
        scores: ["Query", "DeleteItem"],
        // Documents that the sweeper is to work on.
        aggregates: ["PutItem"],
      },
      table: parts.data.table("rows"),
      filters: [...removalFilters, ...waitingFilters],
      batchSize: 100,
      retryAttempts: 50,
      deadLetters: aggregate.deadLetters,
    });
  }

  /** Lets a function that keeps sums be deployed behind the worker that removes them when traces change. */
  goBefore({ node }: IConstruct): void {
    node.addDependency(this.aggregate);
  }
}
