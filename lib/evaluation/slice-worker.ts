import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { SliceEvaluation } from "./slices/evaluate-slice.ts";
import { faultFields, logLine } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { JudgeQueue } from "../queue/judge-queue.ts";
import { readSliceMessage } from "../queue/slice-message.ts";

/** Kept of a function's time for what comes after the work: a request to SQS that is not answered ends after 10 s. */
const reserve = 12_000;

/** SQS moves a message to the dead letters after 1,000 receives, which are for faults: nobody keeps one for its 500th. */
const lastReceive = 499;

/** SQS deletes a message 14 days after it was first sent, however often it came back. */
const longestKept = 10 * 86_400_000;

/** Until when a message may come back, epoch milliseconds; 0: not at all. */
const returnsUntil = ({ attributes }: Pick<SQSRecord, "attributes">): number =>
  Number(attributes.ApproximateReceiveCount) >= lastReceive ? 0 : Number(attributes.SentTimestamp) + longestKept;

/**
 * The handler of the judge queue. A slice that is to be tried again soon sets its message's visibility and is reported as
 * failed, so that the same message comes back. Never a new message, since Lambda stops what looks like a loop of function
 * and queue: where this one is given up, the sweeper sends another.
 */
export const sliceWorker =
  (evaluate: SliceEvaluation, queue: JudgeQueue, now: () => number = Date.now) =>
  async (event: SQSEvent, context: Pick<Context, "getRemainingTimeInMillis">): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
    for (const record of event.Records) {
      const startedAt = now();
      let outcome = "failed";
      let fault: unknown;
      try {
        const keptUntil = returnsUntil(record);
        const result = await evaluate(
          readSliceMessage(record.body),
          startedAt + context.getRemainingTimeInMillis() - reserve,
          keptUntil,
        );
        outcome = result.kind;
        if (result.kind === "later" && result.at < keptUntil) {
          await queue.showAgain(record.receiptHandle, (result.at - now()) / 1000);
          batchItemFailures.push({ itemIdentifier: record.messageId });
        }
      } catch (error) {
        fault = error;
        publishMetrics("work_item_failed", { FailedItems: 1 }, { worker: "judge-slice", message_id: record.messageId });
        batchItemFailures.push({ itemIdentifier: record.messageId });
      }
      logLine("work_item_completed", {
        worker: "judge-slice",
        message_id: record.messageId,
        outcome,
        ms: now() - startedAt,
        ...(fault === undefined ? {} : faultFields(fault)),
      });
    }
    return { batchItemFailures };
  };
