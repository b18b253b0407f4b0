import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { type Background, pause, repeat } from "../host/background.ts";
import type { NoteFailure } from "../host/failure-log.ts";
import type { Functions } from "../lambda/functions.ts";
import { batchOutcome } from "./batch-outcome.ts";
import type { EventSource } from "./event-source.ts";
import { passesFilters } from "./filter-pattern.ts";
import { filteredMessage, sqsRecord } from "./sqs-record.ts";

/** SQS hands out and deletes at most this many messages in one call. */
const perCall = 10;

/** Seconds, Lambda's own. */
const longPoll = 20;

/**
 * Reads a queue and calls its function.
 *
 * A handled message is deleted. A failed one is left alone: it comes back when its visibility ends, with a higher receive
 * count, and goes to the dead letters when the queue's redrive policy says so. The function may change its visibility.
 *
 * Does not do: back-off after errors and throttles, scaling up over time, order within FIFO groups beyond the queue's.
 */
export const startSqsMapping = (
  client: SQSClient,
  queueUrl: string,
  source: EventSource,
  functions: Functions,
  noteFailure: NoteFailure,
): Background => {
  const { sourceArn, functionName, batchSize, batchingWindow, reportsFailures, filters } = source;
  const sandboxes = functions.definition(functionName).concurrency;
  const limit = Math.min(source.maximumConcurrency ?? sandboxes, sandboxes);
  const running = new Set<Promise<void>>();

  const receive = async (most: number, wait: number, abortSignal: AbortSignal): Promise<readonly Message[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(most, perCall),
        WaitTimeSeconds: wait,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
      // A poll that is cut off may have taken a message with it: only done when the queue itself is going away.
      { abortSignal },
    );
    return Messages;
  };

  const remove = async (messages: readonly Message[]): Promise<void> => {
    for (let index = 0; index < messages.length; index += perCall) {
      const Entries = messages
        .slice(index, index + perCall)
        .map(({ MessageId: Id, ReceiptHandle }) => ({ Id, ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  };

  const gather = async (signal: AbortSignal): Promise<readonly Message[]> => {
    const batch = [...(await receive(batchSize, longPoll, signal))];
    const until = Date.now() + batchingWindow;
    while (batch.length > 0 && batch.length < batchSize && !signal.aborted) {
      const more = await receive(batchSize - batch.length, 0, signal);
      batch.push(...more);
      if (Date.now() >= until) break;
      if (more.length === 0) await pause(50, signal);
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

  const failed = (error: unknown): void => noteFailure(source.id, error);
  const poller = repeat(async (signal) => {
    if (running.size >= limit) await Promise.race(running);
    const messages = await gather(signal);
    const wanted = messages.filter((message) => passesFilters(filteredMessage(message), filters));
    await remove(messages.filter((message) => !wanted.includes(message)));
    if (wanted.length === 0 || signal.aborted) return 0;
    const work: Promise<void> = handle(wanted)
      .catch((error: unknown) => {
        if (!signal.aborted) failed(error);
      })
      .finally(() => running.delete(work));
    running.add(work);
    return 0;
  }, failed);
  return {
    stop: async () => {
      await poller.stop();
      await Promise.all(running);
    },
  };
};
