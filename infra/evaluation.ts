import { Construct } from "constructs";
import { runFilters } from "../lib/stream/run-counts.ts";
import { variables } from "../lib/wiring/environment.ts";
import { DeadLetters } from "./functions/dead-letters.ts";
import { allowJudging, judgeEnvironment, tracePriceEnvironment } from "./functions/judge-access.ts";
import { joinNetwork } from "./functions/judge-network.ts";
import { QueueWorker } from "./functions/queue-worker.ts";
import { ScheduledWorker } from "./functions/scheduled-worker.ts";
import type { StackParts, ServiceFunction } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/** Giving back what the slices of a run hold of the budgets. */
const releaseGrants = ["GetItem", "Query", "PutItem", "UpdateItem"] as const;

/** From a committed run to its scores: dispatch, judge, and the sweeper that repairs what a dead process left. */
export class Evaluation extends Construct {
  readonly sweeper: ServiceFunction;

  constructor(scope: Construct, id: string, parts: StackParts) {
    super(scope, id);
    const judge = this.judge(parts);
    const queueUrl = { [variables.judgeQueueUrl]: judge.queue.queueUrl };

    // Under the name that it had when another function dispatched: letters stay where they are.
    const deadLetters = new DeadLetters(new Construct(this, "DispatchRun"), "DeadLetters");
    // A mapping of its own: it begins with the oldest record that the stream has, and misses none that is to be counted.
    const follow = new StreamWorker(this, "FollowRuns", parts, {
      handler: "workers/follow-runs",
      description: "Sends the slices of a new run to the judges, and counts runs",
      impact:
        "A new run was not started; the sweeper sends its slices within minutes; if it stays PENDING, read this worker's log. Totals of lists of runs are wrong by its records.",
      memory: 512,
      timeout: 60,
      grants: {
        runs: ["GetItem", "UpdateItem"],
        aggregates: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
        // Whether a project is being deleted.
        access: ["BatchGetItem"],
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

    new StreamWorker(this, "PurgeRun", parts, {
      handler: "workers/purge-run",
      description: "Removes what a deleted run has left",
      impact:
        "What a deleted run has left, which nobody can read, is still stored; the sweeper removes it within minutes.",
      memory: 512,
      timeout: 60,
      grants: {
        runs: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
        scores: ["Query", "DeleteItem"],
        spend: releaseGrants,
      },
      table: parts.data.table("runs"),
      filters: [
        {
          eventName: ["MODIFY"],
          dynamodb: { NewImage: { status: { S: ["DELETED"] }, open_key: { S: ["deleted"] } } },
        },
      ],
      batchSize: 10,
      retryAttempts: 20,
      deadLetters,
    });

    const sweep = new ScheduledWorker(this, "Sweep", parts, {
      handler: "workers/sweep",
      description: "Repairs what a dead process left, every minute",
      impact: "Runs that lost their worker hang instead of going on. Read the sweeper's log.",
      memory: 512,
      timeout: 120,
      grants: {
        // Scans, and batches of reads and writes, are for what deleted projects and organizations have left.
        runs: ["GetItem", "BatchGetItem", "Query", "Scan", "UpdateItem", "DeleteItem", "BatchWriteItem"],
        // Of deleted runs.
        scores: ["Query", "Scan", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem"],
        spend: [...releaseGrants, "DeleteItem", "BatchGetItem", "Scan", "BatchWriteItem"],
        // Hours of traces that were too early to be computed; documents whose pieces are put together.
        rows: ["GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "BatchWriteItem"],
        // Parts that no row names.
        bodies: ["GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
        aggregates: [
          "GetItem",
          "Query",
          "Scan",
          "PutItem",
          "UpdateItem",
          "DeleteItem",
          "ConditionCheckItem",
          "BatchWriteItem",
        ],
        monitors: ["GetItem", "PutItem", "UpdateItem", "Query", "Scan", "BatchWriteItem"],
        access: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem"],
      },
      environment: { ...queueUrl, ...tracePriceEnvironment(parts.settings) },
    });
    // Looks for what previous versions have listed.
    const [runs, scores] = [parts.data.table("runs").tableArn, parts.data.table("scores").tableArn];
    sweep.worker.allow(["dynamodb:Scan"], `${runs}/index/by-created`, `${scores}/index/by-creation`);
    // It wakes slices that wait for long, and sends lost ones again.
    sweep.worker.allow(["sqs:SendMessage"], judge.queue.queueArn);
    this.sweeper = sweep.worker;
  }

  private judge(parts: StackParts): QueueWorker {
    const { settings } = parts;
    const judge = new QueueWorker(this, "JudgeSlice", parts, {
      handler: "workers/judge-slice",
      description: "Judges the open pairs of a slice and commits their scores",
      impact:
        "A slice of a run was given up: the run does not end by itself. Read the judge's log, then redrive the queue.",
      memory: 1024,
      timeout: 180,
      visibility: 200,
      // The slice counts deliveries without progress and gives up itself, and a worker gives a message up before its 500th
      // receive: this only ends what cannot even be read.
      maxReceiveCount: 1000,
      maxConcurrency: settings.judgeMaxConcurrency,
      grants: {
        runs: ["GetItem", "BatchGetItem", "Query", "UpdateItem"],
        scores: ["Query", "PutItem"],
        rows: ["GetItem", "Query", "ConditionCheckItem"],
        bodies: ["Query"],
        monitors: ["GetItem"],
        spend: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
        // Whose organization's ceiling it is.
        ...(settings.organizationMonthlyCostCeilingUsd !== undefined && { access: ["BatchGetItem"] as const }),
      },
      environment: {
        ...judgeEnvironment(settings),
        [variables.judgeCalls]: String(settings.judgeCallsPerWorker),
      },
      waitImpact:
        "Runs are slow: slices wait for a judge. Look at the judge's log and at its calls: judges may be too few (judgeMaxConcurrency), or their provider slow.",
    });
    judge.worker.function.addEnvironment(variables.judgeQueueUrl, judge.queue.queueUrl);
    allowJudging(judge.worker, settings);
    joinNetwork(judge.worker, settings);
    return judge;
  }
}
