import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { writeFiringMessage, type FiringMessage } from "./firing-message.ts";

/** The queue of firings, for those the Scheduler lost. */
export interface FiringQueue {
  /** Sends a firing; SQS has accepted it when this returns. */
  send(firing: FiringMessage): Promise<void>;
}

export const firingQueue = (
  url: string,
  client: SQSClient = new SQSClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 5000 },
  }),
): FiringQueue => ({
  send: async ({ scheduledAt, ...message }) => {
    const MessageBody = writeFiringMessage(message, new Date(scheduledAt).toISOString());
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody }));
  },
});
