import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { Asynchronous } from "../lambda/asynchronous.ts";
import { queueUrl } from "../sqs/sqs.ts";
import { arnService } from "../template/arn.ts";
import { type Schedule, scheduleArn } from "./schedules.ts";

/** What the Scheduler delivers to. */
export interface Targets {
  readonly calls: Pick<Asynchronous, "send">;
  readonly sqs: Pick<SQSClient, "send">;
  readonly sqsUrl: string;
}

/** Delivers what a schedule sends at an instant; `attempt` counts from 1. @throws when the target does not take it. */
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
  return Input.replace(/<aws\.scheduler\.([\w-]+)>/g, (whole, key: string) => values[key] ?? whole);
};

/** Delivers to a queue, or hands over to a function, which the Scheduler does not wait for. */
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

/** Tells the dead-letter queue of a schedule, if it has one, what could not be delivered. */
export const buryIn =
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
