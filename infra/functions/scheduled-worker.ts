import { Aws, Duration } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import { CfnEventInvokeConfig } from "aws-cdk-lib/aws-lambda";
import { CfnSchedule } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";
import { serviceAlarm } from "../alarm.ts";
import { DeadLetters } from "./dead-letters.ts";
import type { StackParts, WorkerProps } from "./service-function.ts";
import { Worker } from "./worker.ts";

/** A function that runs every minute. A failed execution is not retried, since the next one repeats the work. */
export class ScheduledWorker extends Construct {
  readonly worker: Worker;

  constructor(scope: Construct, id: string, parts: StackParts, props: WorkerProps) {
    super(scope, id);
    const deadLetters = new DeadLetters(this, "DeadLetters");
    const { queueArn } = deadLetters.queue;
    this.worker = new Worker(this, "Worker", parts, props);
    deadLetters.addWorker(this.worker);
    this.worker.allow(["sqs:SendMessage"], queueArn);
    const { functionArn, functionName } = this.worker.function;
    // The Scheduler only delivers the event; Lambda handles failures of the function.
    new CfnEventInvokeConfig(this, "Failures", {
      functionName,
      qualifier: "$LATEST",
      maximumRetryAttempts: 0,
      maximumEventAgeInSeconds: 60,
      destinationConfig: { onFailure: { destination: queueArn } },
    });
    new CfnSchedule(this, "Schedule", {
      description: props.description,
      scheduleExpression: "rate(1 minute)",
      flexibleTimeWindow: { mode: "OFF" },
      target: {
        arn: functionArn,
        roleArn: this.schedulerRole(functionArn, queueArn).roleArn,
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        deadLetterConfig: { arn: queueArn },
      },
    });
    serviceAlarm(this, "Silent", {
      metric: this.worker.function.metricInvocations({ period: Duration.minutes(1), statistic: "Sum" }),
      threshold: 1,
      below: true,
      periods: 3,
      severity: "page",
      impact: this.worker.impact,
      missingData: "breaching",
    });
  }

  private schedulerRole(functionArn: string, deadLettersArn: string): iam.Role {
    const statement = (action: string, resource: string) =>
      new iam.PolicyStatement({ actions: [action], resources: [resource] });
    return new iam.Role(this, "SchedulerRole", {
      assumedBy: new iam.ServicePrincipal("scheduler.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        Invoke: new iam.PolicyDocument({
          statements: [statement("lambda:InvokeFunction", functionArn), statement("sqs:SendMessage", deadLettersArn)],
        }),
      },
    });
  }
}
