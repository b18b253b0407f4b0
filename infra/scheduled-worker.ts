import { Aws, Duration } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import { CfnEventInvokeConfig } from "aws-cdk-lib/aws-lambda";
import { CfnSchedule } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";
import { serviceAlarm } from "./alarm.ts";
import { DeadLetters } from "./dead-letters.ts";
import { ServiceFunction, type Ground, type ServiceFunctionProps } from "./service-function.ts";

export interface ScheduledWorkerProps extends ServiceFunctionProps {
  /** What a failed or a missing execution means to a user. */
  readonly impact: string;
}

/** A function that runs every minute. A failed execution is not repeated: the next one is the repetition. */
export class ScheduledWorker extends Construct {
  readonly worker: ServiceFunction;

  constructor(scope: Construct, id: string, ground: Ground, props: ScheduledWorkerProps) {
    super(scope, id);
    const { queue: deadLetters } = new DeadLetters(this, "DeadLetters", props.impact);
    this.worker = new ServiceFunction(this, "Worker", ground, props);
    this.worker.allow(["sqs:SendMessage"], deadLetters.queueArn);
    const { functionArn, functionName } = this.worker.function;
    // The Scheduler only hands the event over: whether the function fails is Lambda's to notice.
    new CfnEventInvokeConfig(this, "Failures", {
      functionName,
      qualifier: "$LATEST",
      maximumRetryAttempts: 0,
      maximumEventAgeInSeconds: 60,
      destinationConfig: { onFailure: { destination: deadLetters.queueArn } },
    });
    new CfnSchedule(this, "Schedule", {
      description: props.description,
      scheduleExpression: "rate(1 minute)",
      flexibleTimeWindow: { mode: "OFF" },
      target: {
        arn: functionArn,
        roleArn: this.schedulerRole(functionArn, deadLetters.queueArn).roleArn,
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        deadLetterConfig: { arn: deadLetters.queueArn },
      },
    });
    serviceAlarm(this, "Silent", {
      metric: this.worker.function.metricInvocations({ period: Duration.minutes(1), statistic: "Sum" }),
      threshold: 1,
      below: true,
      periods: 3,
      impact: props.impact,
      silence: "broken",
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
