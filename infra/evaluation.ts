import { Aws } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { variables } from "../lib/environment.ts";
import { QueueWorker } from "./queue-worker.ts";
import { ScheduledWorker } from "./scheduled-worker.ts";
import type { Ground } from "./service-function.ts";
import type { Settings } from "./settings.ts";
import { StreamWorker } from "./stream-worker.ts";

const parameterArns = (providers: Settings["providers"]): string[] =>
  Object.values(providers)
    .flatMap(({ key, baseUrl }) => [key, baseUrl])
    .filter((name) => name !== undefined)
    .map((name) => `arn:${Aws.PARTITION}:ssm:${Aws.REGION}:${Aws.ACCOUNT_ID}:parameter${name}`);

/** From a committed run to its scores: dispatch, judge, and the sweeper that repairs what a dead process left. */
export class Evaluation extends Construct {
  /** What the counters' worker gave up; others may put theirs there. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, ground: Ground) {
    super(scope, id);
    const judge = this.judge(ground);
    const queueUrl = { [variables.judgeQueueUrl]: judge.queue.queueUrl };

    const dispatch = new StreamWorker(this, "DispatchRun", ground, {
      handler: "workers/dispatch-run",
      description: "Sends the slices of a new run to the judges",
      memory: 512,
      timeout: 60,
      grants: { runs: ["GetItem", "UpdateItem"] },
      environment: queueUrl,
      table: ground.data.table("runs"),
      filters: [
        {
          eventName: ["INSERT", "MODIFY"],
          dynamodb: { NewImage: { kind: { S: ["run"] }, status: { S: ["PENDING"] } } },
        },
      ],
      batchSize: 10,
      retryAttempts: 20,
      givenUp:
        "A new run was not started. The sweeper sends its slices within minutes; if it stays PENDING, read this worker's log.",
      lag: { longest: 120, impact: "New runs stay PENDING: they are started minutes late." },
    });
    dispatch.worker.allow(["sqs:SendMessage"], judge.queue.queueArn);

    const sweep = new ScheduledWorker(this, "Sweep", ground, {
      handler: "workers/sweep",
      description: "Repairs what a dead process left, every minute",
      memory: 512,
      timeout: 120,
      grants: { runs: ["GetItem", "Query", "UpdateItem", "DeleteItem"] },
      environment: queueUrl,
      impact: "Runs that lost their worker hang instead of going on. Read the sweeper's log.",
    });
    // It sends lost slices again, but not while the queue still holds messages.
    sweep.worker.allow(["sqs:SendMessage", "sqs:GetQueueAttributes"], judge.queue.queueArn);

    const fold = new StreamWorker(this, "FoldTraceCounts", ground, {
      handler: "workers/fold-trace-counts",
      description: "Folds new and removed traces into the counters behind totals",
      memory: 512,
      timeout: 60,
      grants: { aggregates: ["GetItem", "PutItem"] },
      table: ground.data.table("rows"),
      // Only a row has a version: fences and lists of days in this table do not count.
      filters: [
        { dynamodb: { NewImage: { v: { N: [{ exists: true }] } } } },
        { dynamodb: { OldImage: { v: { N: [{ exists: true }] } } } },
      ],
      batchSize: 1000,
      retryAttempts: 50,
      tumblingWindow: 2,
      givenUp:
        "By the function the message names. FoldTraceCounts: totals of unfiltered trace lists are wrong by its records until the counters are rebuilt. SyncGatewayKeys: a client stays on the shared gateway key, or one that is gone keeps its own.",
      lag: { longest: 120, impact: "Totals of unfiltered trace lists are minutes old." },
    });
    this.deadLetters = fold.deadLetters;
  }

  private judge(ground: Ground): QueueWorker {
    const { settings } = ground;
    const judge = new QueueWorker(this, "JudgeSlice", ground, {
      handler: "workers/judge-slice",
      description: "Judges the open pairs of a slice and commits their scores",
      memory: 1024,
      timeout: 180,
      visibility: 200,
      // The slice counts deliveries without progress and gives up itself; this only ends what cannot even be read.
      maxReceiveCount: 1000,
      maxConcurrency: settings.judgeMaxConcurrency,
      grants: {
        runs: ["GetItem", "UpdateItem"],
        scores: ["PutItem"],
        rows: ["GetItem", "ConditionCheckItem"],
        bodies: ["Query"],
      },
      environment: {
        [variables.judgeProviders]: JSON.stringify(settings.providers),
        [variables.judgeCalls]: String(settings.judgeCallsPerWorker),
      },
      impact:
        "A slice of a run was given up: the run does not end by itself. Read the judge's log, then redrive the queue.",
      wait: { longest: 15 * 60, impact: "Runs are slow: slices wait for a judge, or the judge's provider is away." },
    });
    judge.worker.function.addEnvironment(variables.judgeQueueUrl, judge.queue.queueUrl);
    const parameters = parameterArns(settings.providers);
    if (parameters.length > 0) judge.worker.allow(["ssm:GetParameter"], ...parameters);
    return judge;
  }
}
