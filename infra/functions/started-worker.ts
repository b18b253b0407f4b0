import { CfnEventInvokeConfig } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { DeadLetters } from "./dead-letters.ts";
import type { ServiceFunction, StackParts, WorkerProps } from "./service-function.ts";
import { Worker } from "./worker.ts";

/** A function that others start without waiting for it, as long as there is work. A failed execution is not retried: the next one goes on. */
export class StartedWorker extends Construct {
  readonly worker: Worker;
  private readonly variable: string;

  /** @param variable environment variable of those that start the function, with its name. */
  constructor(
    scope: Construct,
    id: string,
    parts: StackParts,
    { variable, deadLetters, ...props }: WorkerProps & { readonly variable: string; readonly deadLetters: DeadLetters },
  ) {
    super(scope, id);
    this.variable = variable;
    this.worker = new Worker(this, "Worker", parts, props);
    const { queueArn } = deadLetters.queue;
    deadLetters.addWorker(this.worker);
    this.worker.allow(["sqs:SendMessage"], queueArn);
    new CfnEventInvokeConfig(this, "Failures", {
      functionName: this.worker.function.functionName,
      qualifier: "$LATEST",
      // The sweeper starts the next worker within a minute.
      maximumRetryAttempts: 0,
      maximumEventAgeInSeconds: 60,
      destinationConfig: { onFailure: { destination: queueArn } },
    });
  }

  /** Lets a function start this one. */
  allowStarting(starter: ServiceFunction): void {
    starter.allow(["lambda:InvokeFunction"], this.worker.function.functionArn);
    starter.function.addEnvironment(this.variable, this.worker.function.functionName);
  }
}
