import { Construct } from "constructs";
import { runFilters } from "../lib/stream/run-counts.ts";
import { variables } from "../lib/wiring/environment.ts";
import { DeadLetters } from "./functions/dead-letters.ts";
import { allowJudging, judgeEnvironment } from "./functions/judge-access.ts";
import { joinNetwork } from "./functions/judge-network.ts";
import { QueueWorker } from "./functions/queue-worker.ts";
import { ScheduledWorker } from "./functions/scheduled-worker.ts";
import type { StackParts, ServiceFunction } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";
import type { Worker } from "./functions/worker.ts";

/** Functions and queues from a committed run to its scores: dispatch, judge, and the sweeper that repairs work of crashed processes. */
export class Evaluation extends Construct {
  readonly sweeper: ServiceFunction;
  /** Worker of the runs' stream, which announces events. */
  readonly followRuns: Worker;

  constructor(scope: Construct, id: string, parts: StackParts) {
    super(scope, id);
    const judge = this.judge(parts);
    const queueUrl = { [variables.judgeQueueUrl]: judge.queue.queueUrl };

    // The id of an earlier dispatch function: another id would replace the queue and lose its messages.
    const deadLetters = new DeadLetters(new Construct(this, "DispatchRun"), "DeadLetters");
    // A separate mapping starts at the oldest record of the stream, so that no run is left out of the counters.
    const follow = new StreamWorker(this, "FollowRuns", parts, {
      handler: "workers/follow-runs",
      description:
        "Queues the slices of a new run for judging, counts runs, removes data of deleted ones, and announces events",
      impact:
        "A new run was not started; the sweeper sends its slices within minutes; if the run stays PENDING, read this worker's log. Totals of run lists miss these records, and their events were not sent. The sweeper removes data of deleted runs.",
      memory: 512,
      timeout: 60,
      grants: {
        runs: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // Built-in alerts of monitors, whose events it puts into the outbox.
        monitors: ["GetItem", "PutItem"],
        // Scores of deleted runs.
        scores: ["Query", "DeleteItem"],
        aggregates: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // The month's cost of slices that were in work when their run was deleted.
        spend: ["UpdateItem"],
        // Check for projects that are being deleted; the organization of a run's project.
        access: { BatchGetItem: ["project"] },
      },
      environment: queueUrl,
      table: parts.data.table("runs"),
      filters: runFilters,
      batchSize: 25,
      retryAttempts: 50,
      tumblingWindow: 2,
      deadLetters,
    });
    follow.worker.allow(["sqs:SendMessage"], judge.queue.queueArn);
    this.followRuns = follow.worker;

    const sweep = new ScheduledWorker(this, "Sweep", parts, {
      handler: "workers/sweep",
      description: "Completes unfinished work of crashed processes, every minute",
      impact: "Runs whose worker crashed hang instead of continuing. Read the sweeper's log.",
      // One vCPU: 20,000 alert rules that are due at once take half a minute of it.
      memory: 1769,
      timeout: 120,
      grants: {
        // Scans and batches are for data of deleted projects and organizations.
        runs: ["GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
        // Scores of deleted runs, and those that labels become.
        scores: [
          ...(["GetItem", "BatchGetItem", "Query", "Scan"] as const),
          ...(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"] as const),
        ],
        spend: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "Scan", "BatchWriteItem"],
        // Hourly rollups of traces that were too early to compute; documents whose pieces are merged.
        rows: [
          ...(["GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem"] as const),
          ...(["ConditionCheckItem", "BatchWriteItem"] as const),
        ],
        // Document parts that no row refers to.
        bodies: ["GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
        aggregates: [
          "GetItem",
          "BatchGetItem",
          "Query",
          "Scan",
          "PutItem",
          "UpdateItem",
          "DeleteItem",
          "ConditionCheckItem",
          "BatchWriteItem",
        ],
        monitors: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchWriteItem"],
        // Deletions, the scan for their leftovers, and the hourly call of the reconciliation.
        access: {
          GetItem: ["deletion", "gatewayKeys", "invitation", "storageScan"],
          BatchGetItem: ["deletion", "project"],
          Query: ["audit", "openDeletions", "organization"],
          PutItem: ["deletion", "openDeletions", "organization"],
          UpdateItem: ["deletion", "gatewayKeys", "organization", "project", "storageScan", "user"],
          DeleteItem: [
            ...(["deletion", "email", "invitation", "key", "keyExpiry"] as const),
            ...(["openDeletions", "organization", "project", "user"] as const),
          ],
          BatchWriteItem: ["audit"],
        },
      },
      environment: queueUrl,
    });
    // The sweeper sends messages of slices that waited for long or were lost.
    sweep.worker.allow(["sqs:SendMessage"], judge.queue.queueArn);
    this.sweeper = sweep.worker;
  }

  private judge(parts: StackParts): QueueWorker {
    const { settings } = parts;
    const judge = new QueueWorker(this, "JudgeSlice", parts, {
      handler: "workers/judge-slice",
      description: "Judges the unsettled pairs of a run slice and commits their scores",
      impact:
        "A run slice was moved to the dead letters: the run does not end by itself. Read the judge's log, then redrive the queue.",
      memory: 1024,
      timeout: 180,
      visibility: 200,
      // A slice counts its deliveries without progress and gives up by itself, and a worker gives a message up before its 500th
      // receive: this limit only ends messages that cannot be parsed.
      maxReceiveCount: 1000,
      maxConcurrency: settings.judgeMaxConcurrency,
      grants: {
        // Slices of runs; events.
        runs: ["GetItem", "BatchGetItem", "Query", "UpdateItem", "PutItem", "DeleteItem"],
        scores: ["Query", "PutItem"],
        rows: ["GetItem", "Query", "ConditionCheckItem"],
        // A trace that moved or was deleted during its judgement is located again.
        bodies: ["GetItem", "Query"],
        // Custom metrics; items of datasets.
        monitors: ["GetItem"],
        // When the experiment of a trace began.
        aggregates: ["Query"],
        spend: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
        // Nothing of a deleted project or organization is judged; the organization of a project has a ceiling.
        access: {
          GetItem: ["organization", "project"],
          ...(settings.organizationMonthlyCostCeilingUsd !== undefined && { BatchGetItem: ["project"] as const }),
        },
      },
      environment: {
        ...judgeEnvironment(settings),
        [variables.judgeCalls]: String(settings.judgeCallsPerWorker),
      },
      waitImpact:
        "Runs are slow: slices wait for a judge. Read the judge's log and check its invocations: there may be too few judges (judgeMaxConcurrency), or their provider is slow.",
    });
    judge.worker.function.addEnvironment(variables.judgeQueueUrl, judge.queue.queueUrl);
    allowJudging(judge.worker, settings);
    joinNetwork(judge.worker, settings);
    return judge;
  }
}
