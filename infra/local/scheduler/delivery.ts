import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { AsynchronousInvoker } from "../lambda/asynchronous-calls.ts";
import { queueUrl } from "../sqs/sqs.ts";
import { arnService } from "../template/arn.ts";
import { type Schedule, scheduleArn } from "./schedules.ts";

/** Clients for the targets of schedules: functions and queues. */
export interface Targets {
  readonly calls: Pick<AsynchronousInvoker, "send">;
  readonly sqs: Pick<SQSClient, "send">;
  readonly sqsUrl: string;
}

/** Delivers a schedule's input to its target; `attempt` counts from 1. @throws when the delivery fails */
export type Deliver = (schedule: Schedule, attempt: number) => Promise<void>;

const timeOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, "Z");

const inputOf = (schedule: Schedule, attempt: number): string => {
  const values: Readonly<Record<string, string>> = {
    "schedule-arn": scheduleArn(schedule),
    "scheduled-time": timeOf(schedule.next),
    "execution-id": crypto.randomUUID(),
    "attempt-number": String(attempt),
  };
  const { Input = "{}" } = schedule.definition.Target;
  return Input.replace(/<aws\.scheduler\.([\w-]+)>/g, (placeholder, key: string) => values[key] ?? placeholder);
};

/** Creates the delivery to queues and functions. Functions are invoked asynchronously, without waiting for their result. */
export const deliverTo =
  ({ calls, sqs, sqsUrl }: Targets): Deliver =>
  async (schedule, attempt) => {
    const { Arn, SqsParameters } = schedule.definition.Target;
    const input = inputOf(schedule, attempt);
    if (arnService(Arn) === "lambda") {
      calls.send(Arn, JSON.parse(input));
      return;
    }
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl(sqsUrl, Arn),
        MessageBody: input,
        MessageGroupId: SqsParameters?.MessageGroupId,
      }),
    );
  };

/** Creates the function that sends an undeliverable input to the schedule's dead-letter queue, if it has one. */
export const sendToDeadLetters =
  ({ sqs, sqsUrl }: Targets) =>
  async (schedule: Schedule, attempts: number, error: unknown): Promise<void> => {
    const { Arn } = schedule.definition.Target.DeadLetterConfig ?? {};
    if (Arn === undefined) return;
    const attribute = (StringValue: string) => ({ DataType: "String", StringValue });
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl(sqsUrl, Arn),
        MessageBody: inputOf(schedule, attempts),
        MessageAttributes: {
          RULE_ARN: attribute(scheduleArn(schedule)),
          TARGET_ARN: attribute(schedule.definition.Target.Arn),
          ERROR_MESSAGE: attribute(error instanceof Error ? error.message : String(error)),
          RETRY_ATTEMPTS: attribute(String(attempts - 1)),
          EXHAUSTED_RETRY_CONDITION: attribute("MaximumRetryAttempts"),
        },
      }),
    );
  };
