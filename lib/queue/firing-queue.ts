import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { awsClient } from "../aws/aws-client.ts";
import { writeFiringMessage, type FiringMessage } from "./firing-message.ts";

/** Queue of firing messages. The service itself only sends firings that EventBridge Scheduler missed. */
export interface FiringQueue {
  /** Sends a firing message; resolves when SQS has accepted it. */
  send(firing: FiringMessage): Promise<void>;
}

export const firingQueue = (url: string, client: SQSClient = awsClient(SQSClient)): FiringQueue => ({
  send: async ({ scheduledAt, ...message }) => {
    const MessageBody = writeFiringMessage(message, new Date(scheduledAt).toISOString());
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody }));
  },
});
