import { Construct, type IConstruct } from "constructs";
import { removalFilters } from "../lib/stream/removals.ts";
import { variables } from "../lib/wiring/environment.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import { tracePriceEnvironment } from "./functions/judge-access.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StartedWorker } from "./functions/started-worker.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/**
 * The worker of the trace rows' stream: totals and rollups, removal of deleted data, merging of document pieces; and the
 * function that reprices traces.
 */
export class TraceMaintenance extends Construct {
  /** Queue for records that the stream's worker failed at for good; other workers can share it. */
  readonly deadLetters: DeadLetters;
  private readonly follow: IConstruct;
  /** Started by the sweeper, once a minute while a repricing is open. */
  readonly reprice: StartedWorker;

  constructor(scope: Construct, id: string, parts: StackParts) {
    super(scope, id);
    // The ids of an earlier worker: with others an upgrade would add a reader of the stream and read its last day again.
    const follow = new StreamWorker(this, "AggregateTraces", parts, {
      handler: "workers/follow-rows",
      description: "Maintains totals and hourly rollups, removes data of deleted traces, and merges document pieces",
      impact:
        "Totals of unfiltered trace lists and analytics miss these records until they are rebuilt. The sweeper removes data of deleted traces; what it does not find is removed when their tombstones expire.",
      memory: 1024,
      timeout: 120,
      grants: {
        rows: ["GetItem", "Query", "PutItem"],
        bodies: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // Scores of deleted traces and sessions, and of traces that tell their environment late.
        scores: ["GetItem", "Query", "PutItem", "DeleteItem"],
        // Counters and rollups, and work items for the sweeper.
        aggregates: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
        // Alert rules, which new data make due.
        monitors: ["Query", "UpdateItem"],
        // Check for projects that are being deleted.
        access: { BatchGetItem: ["project"] },
      },
      table: parts.data.table("rows"),
      // Only rows have a version `v`; tombstones and lists of days in this table have none. A mapping has five filters at most.
      filters: [
        { dynamodb: { NewImage: { v: { N: [{ exists: true }] } } } },
        { dynamodb: { OldImage: { v: { N: [{ exists: true }] } } } },
        ...removalFilters,
      ],
      batchSize: 1000,
      retryAttempts: 50,
      tumblingWindow: 2,
    });
    this.follow = follow.worker.function;
    this.deadLetters = follow.deadLetters;
    this.reprice = this.repricer(parts);
  }

  private repricer(parts: StackParts): StartedWorker {
    return new StartedWorker(this, "RepriceDays", parts, {
      variable: variables.dayRepricer,
      deadLetters: this.deadLetters,
      handler: "workers/reprice-days",
      description: "Applies the current prices to traces of requested ranges, a day at a time",
      impact: "Repricings come late; the next worker continues them within two minutes.",
      // One vCPU, which reprices 300 traces a second.
      memory: 1769,
      timeout: 450,
      grants: {
        rows: ["GetItem", "Query", "PutItem", "UpdateItem"],
        bodies: ["GetItem", "Query", "PutItem", "DeleteItem"],
        // Repricings, their markers, and the place among these.
        aggregates: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      },
      environment: tracePriceEnvironment(parts.settings),
    });
  }

  /** Deploys a function that stores session sums only after the worker that removes them when traces change. */
  deployBefore({ node }: IConstruct): void {
    node.addDependency(this.follow);
  }
}
