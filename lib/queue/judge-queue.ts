import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { setTimeout as wait } from "node:timers/promises";
import { awsClient } from "../aws/aws-client.ts";
import { writeSliceMessage, type SliceMessage } from "./slice-message.ts";

/** SQS's limit of messages per batch. */
const batchSize = 10;

/** SQS's limit of the visibility time-out of a message, seconds. */
const maxVisibility = 43_200;

const maxAttempts = 6;

/** Queue of messages about run slices that are due. */
export interface JudgeQueue {
  /** Sends one message per slice; resolves when SQS has accepted all of them. */
  send(slices: readonly SliceMessage[]): Promise<void>;
  /** Makes a received message visible again after a number of seconds. */
  delayMessage(receiptHandle: string, seconds: number): Promise<void>;
}

export const judgeQueue = (url: string, client: SQSClient = awsClient(SQSClient)): JudgeQueue => ({
  send: async (slices) => {
    for (let start = 0; start < slices.length; start += batchSize) {
      let pending = slices.slice(start, start + batchSize).map((slice, index) => ({
        Id: String(index),
        MessageBody: writeSliceMessage(slice),
      }));
      for (let attempt = 0; pending.length > 0; attempt += 1) {
        if (attempt === maxAttempts) throw new Error("SQS did not accept every slice of a run.");
        if (attempt > 0) await wait(Math.random() * 50 * 2 ** attempt);
        const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries: pending }));
        const failed = new Set(Failed?.map(({ Id }) => Id));
        pending = pending.filter(({ Id }) => failed.has(Id));
      }
    }
  },

  delayMessage: async (receiptHandle, seconds) => {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: Math.min(maxVisibility, Math.max(0, Math.ceil(seconds))),
      }),
    );
  },
});
