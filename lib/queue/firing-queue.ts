import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { awsClient } from "../aws/aws-client.ts";
import { writeFiringMessage, type FiringMessage } from "./firing-message.ts";

/** The queue of firings, for those the Scheduler lost. */
export interface FiringQueue {
  /** Sends a firing; SQS has accepted it when this returns. */
  send(firing: FiringMessage): Promise<void>;
}

export const firingQueue = (url: string, client: SQSClient = awsClient(SQSClient)): FiringQueue => ({
  send: async ({ scheduledAt, ...message }) => {
    const MessageBody = writeFiringMessage(message, new Date(scheduledAt).toISOString());
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody }));
  },
});
