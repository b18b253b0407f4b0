import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { type Background, pause, repeat } from "../host/background.ts";
import type { LogFailure } from "../host/failure-log.ts";
import type { Functions } from "../lambda/functions.ts";
import { batchOutcome } from "./batch-outcome.ts";
import type { EventSource } from "./event-source.ts";
import { passesFilters } from "./filter-pattern.ts";
import { filteredMessage, sqsRecord } from "./sqs-record.ts";

/** Maximum messages per receive or delete call of SQS. */
const maxMessagesPerCall = 10;

/** Long-poll wait of a receive call in seconds, as in Lambda. */
const longPollSeconds = 20;

/**
 * Starts reading a queue and invoking its function.
 *
 * Handled messages are deleted. A failed message becomes visible again after its visibility timeout, with a higher receive count,
 * or moves to the dead-letter queue by the queue's redrive policy. The function may change its visibility timeout.
 *
 * Not supported: back-off after errors and throttles, gradual scaling, ordering within FIFO groups beyond that of the queue.
 */
export const startSqsMapping = (
  client: SQSClient,
  queueUrl: string,
  source: EventSource,
  functions: Functions,
  logFailure: LogFailure,
): Background => {
  const { sourceArn, functionName, batchSize, batchingWindow, reportsFailures, filters } = source;
  const sandboxes = functions.definition(functionName).concurrency;
  const limit = Math.min(source.maximumConcurrency ?? sandboxes, sandboxes);
  const running = new Set<Promise<void>>();

  const receive = async (maxMessages: number, wait: number, abortSignal: AbortSignal): Promise<readonly Message[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(maxMessages, maxMessagesPerCall),
        WaitTimeSeconds: wait,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
      // An aborted poll may lose a received message, so it is aborted only when the queue stops too.
      { abortSignal },
    );
    return Messages;
  };

  const remove = async (messages: readonly Message[]): Promise<void> => {
    for (let index = 0; index < messages.length; index += maxMessagesPerCall) {
      const Entries = messages
        .slice(index, index + maxMessagesPerCall)
        .map(({ MessageId: Id, ReceiptHandle }) => ({ Id, ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  };

  const receiveBatch = async (signal: AbortSignal): Promise<readonly Message[]> => {
    const batch = [...(await receive(batchSize, longPollSeconds, signal))];
    const deadline = Date.now() + batchingWindow;
    while (batch.length > 0 && batch.length < batchSize && !signal.aborted) {
      const nextMessages = await receive(batchSize - batch.length, 0, signal);
      batch.push(...nextMessages);
      if (Date.now() >= deadline) break;
      if (nextMessages.length === 0) await pause(50, signal);
    }
    return batch;
  };

  const handle = async (messages: readonly Message[]): Promise<void> => {
    const outcome = await functions.invoke(functionName, {
      Records: messages.map((message) => sqsRecord(message, sourceArn)),
    });
    if (outcome.error !== undefined) return;
    const ids = new Set(messages.map(({ MessageId }) => MessageId ?? ""));
    const failed = reportsFailures ? batchOutcome(outcome.payload, ids) : "none";
    if (failed === "all") return;
    await remove(messages.filter(({ MessageId }) => failed === "none" || !failed.has(MessageId ?? "")));
  };

  const reportError = (error: unknown): void => logFailure(source.id, error);
  const poller = repeat(async (signal) => {
    if (running.size >= limit) await Promise.race(running);
    const messages = await receiveBatch(signal);
    const matchingMessages = messages.filter((message) => passesFilters(filteredMessage(message), filters));
    await remove(messages.filter((message) => !matchingMessages.includes(message)));
    if (matchingMessages.length === 0 || signal.aborted) return 0;
    const work: Promise<void> = handle(matchingMessages)
      .catch((error: unknown) => {
        if (!signal.aborted) reportError(error);
      })
      .finally(() => running.delete(work));
    running.add(work);
    return 0;
  }, reportError);
  return {
    stop: async () => {
      await poller.stop();
      await Promise.all(running);
    },
  };
};
