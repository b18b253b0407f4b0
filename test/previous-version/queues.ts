import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { LocalStack } from "../../infra/local/local-stack.ts";
import { sqsRecord } from "../../infra/local/mapping/sqs-record.ts";
import { arn } from "../../infra/local/template/arn.ts";

/** A queue's URL by the environment variable that contains it. */
export const queueOf = ({ environments }: LocalStack, variable: string): string => {
  const url = environments.map((environment) => environment[variable]).find(Boolean);
  if (url === undefined) throw new Error(`No function knows ${variable}.`);
  return url;
};

const withLater = (body: object): string => JSON.stringify({ ...body, later: { added: "by a later version" } });

/** Sends a message with an additional field, as a later version might. */
export const sendWithLater = async (sqs: SQSClient, QueueUrl: string, body: object): Promise<void> => {
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: withLater(body) }));
};

/**
 * Creates a function that waits for a run's message and delivers it with an additional field to a function, in place of
 * the queue's mapping. Unfinished messages are delivered again; messages of other runs are ignored.
 */
export const handDeliverer = (stack: LocalStack, sqs: SQSClient, QueueUrl: string) => {
  const queueArn = arn("sqs", QueueUrl.split("/").at(-1) ?? "");

  const receive = async (run: string): Promise<Message> => {
    for (;;) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1, MessageSystemAttributeNames: ["All"] }),
      );
      const runMessage = Messages.find(({ Body = "" }) => Body.includes(run));
      if (runMessage !== undefined) return runMessage;
    }
  };

  return async (functionName: string, run: string): Promise<void> => {
    const message = await receive(run);
    const Body = withLater(JSON.parse(message.Body ?? "") as object);
    const outcome = await stack.functions.invoke(functionName, {
      Records: [sqsRecord({ ...message, Body }, queueArn)],
    });
    if (outcome.error !== undefined) throw new Error(outcome.error.errorMessage);
    const { batchItemFailures } = JSON.parse(outcome.payload) as { readonly batchItemFailures: readonly unknown[] };
    if (batchItemFailures.length > 0) return;
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  };
};
