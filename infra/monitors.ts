import { Aws } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import { CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { tierEnvironment } from "./functions/judge-access.ts";
import { Construct } from "constructs";
import { variables } from "../lib/wiring/environment.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import { logicalId } from "./path-in-stack.ts";
import { QueueWorker } from "./functions/queue-worker.ts";
import type { StackParts, ServiceFunction } from "./functions/service-function.ts";

/** Schedules of monitors: the schedule group, the role by which schedules send messages, and the queue and worker of firings. */
export class Monitors extends Construct {
  private readonly group: CfnScheduleGroup;
  private readonly role: iam.Role;
  private readonly firings: QueueWorker;
  private readonly deadLettersArn: string;

  /** @param deadLetters queue for firings whose processing failed for good. */
  constructor(scope: Construct, id: string, parts: StackParts, deadLetters: DeadLetters) {
    super(scope, id);
    const { settings } = parts;
    this.deadLettersArn = deadLetters.queue.queueArn;
    this.group = new CfnScheduleGroup(this, "Schedules");
    this.firings = new QueueWorker(this, "FireMonitor", parts, {
      handler: "workers/fire-monitor",
      description: "Creates the run of a monitor's scheduled instant, or records why there is none",
      impact: "The monitor that the message names did not fire; the sweeper fires it again within minutes.",
      memory: 1024,
      timeout: 180,
      visibility: 200,
      maxReceiveCount: 10,
      grants: {
        monitors: ["GetItem", "BatchGetItem", "PutItem", "Query"],
        runs: ["GetItem", "PutItem", "UpdateItem", "BatchWriteItem", "ConditionCheckItem"],
        rows: ["GetItem", "Query"],
        // For the filter `q`.
        bodies: ["BatchGetItem", "Query"],
        aggregates: ["Query", "BatchGetItem"],
        scores: ["Query"],
        access: { GetItem: ["organization", "project"] },
      },
      environment: {
        [variables.judgeModel]: settings.judgeModel,
        ...tierEnvironment(settings),
        [variables.maxTargetsPerRun]: String(settings.maxTargetsPerRun),
      },
      deadLetters,
      waitImpact:
        "Monitors fire a quarter of an hour late or not at all. Read the log of the worker that fires them, and check that its event source mapping is enabled.",
    });
    this.role = new iam.Role(this, "SchedulesRole", {
      assumedBy: new iam.ServicePrincipal("scheduler.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        Send: new iam.PolicyDocument({
          statements: [
            new iam.PolicyStatement({
              actions: ["sqs:SendMessage"],
              resources: [this.firings.queue.queueArn, this.deadLettersArn],
            }),
          ],
        }),
      },
    });
  }

  /** Lets a function create, update and delete monitor schedules. */
  allowScheduling(scheduling: ServiceFunction): void {
    const actions = ["CreateSchedule", "UpdateSchedule", "DeleteSchedule"].map((action) => `scheduler:${action}`);
    scheduling.allow(actions, this.schedulesArn());
    scheduling.allow(["iam:PassRole"], this.role.roleArn);
    scheduling.acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/<${logicalId(this.group)}>/*]`,
      reason: "Monitors are created at run time; the group holds only their schedules.",
    });
    const target = scheduling.function;
    target.addEnvironment(variables.scheduleGroup, this.group.ref);
    target.addEnvironment(variables.scheduleRole, this.role.roleArn);
    target.addEnvironment(variables.firingQueueArn, this.firings.queue.queueArn);
    target.addEnvironment(variables.firingDeadLettersArn, this.deadLettersArn);
  }

  /** Lets a function repair missed firings: list the schedules, and send firings that the Scheduler has not delivered. */
  allowSweeping(sweeper: ServiceFunction): void {
    this.allowScheduling(sweeper);
    // ListSchedules cannot be limited to a resource.
    sweeper.allow(["scheduler:ListSchedules"], "*");
    sweeper.acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "ListSchedules cannot be limited to a group.",
    });
    sweeper.allow(["sqs:SendMessage"], this.firings.queue.queueArn);
    sweeper.function.addEnvironment(variables.firingQueueUrl, this.firings.queue.queueUrl);
  }

  /** Name of the schedule group. */
  get scheduleGroup(): string {
    return this.group.ref;
  }

  private schedulesArn(): string {
    return `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule/${this.group.ref}/*`;
  }
}
