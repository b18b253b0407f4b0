import { Construct, type IConstruct } from "constructs";
import { removalFilters } from "../lib/stream/removals.ts";
import { unmergedDocumentFilters } from "../lib/stream/unmerged-document.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/** Workers of the trace rows' stream: totals and rollups, removal of deleted data, merging of document pieces. */
export class TraceMaintenance extends Construct {
  /** Queue for records that the stream's workers failed at for good; other workers can share it. */
  readonly deadLetters: DeadLetters;
  private readonly aggregate: IConstruct;

  constructor(scope: Construct, id: string, parts: StackParts) {
    super(scope, id);
    const aggregate = new StreamWorker(this, "AggregateTraces", parts, {
      handler: "workers/aggregate-traces",
      description: "Maintains the totals of traces and their hourly rollups",
      impact: "Totals of unfiltered trace lists and analytics miss these records until they are rebuilt.",
      memory: 1024,
      timeout: 120,
      grants: {
        rows: ["GetItem", "Query"],
        bodies: ["Query"],
        aggregates: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // Check for projects that are being deleted.
        access: { BatchGetItem: ["project"] },
      },
      table: parts.data.table("rows"),
      // Only rows have a version `v`; tombstones and lists of days in this table have none.
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
      description: "Removes data of deleted traces and sessions, and merges small document pieces",
      impact: "Document parts and scores of deleted traces, which can no longer be read, are still stored.",
      memory: 512,
      timeout: 300,
      grants: {
        rows: ["GetItem", "Query", "PutItem"],
        bodies: ["GetItem", "Query", "PutItem", "DeleteItem"],
        scores: ["Query", "DeleteItem"],
        // Work items for the sweeper: documents to merge.
        aggregates: ["PutItem"],
      },
      table: parts.data.table("rows"),
      filters: [...removalFilters, ...unmergedDocumentFilters],
      batchSize: 100,
      retryAttempts: 50,
      deadLetters: aggregate.deadLetters,
    });
  }

  /** Deploys a function that stores session sums only after the worker that removes them when traces change. */
  deployBefore({ node }: IConstruct): void {
    node.addDependency(this.aggregate);
  }
}
