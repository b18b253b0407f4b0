import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { SliceEvaluation } from "./work/evaluate-slice.ts";
import { faultFields, logLine } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { JudgeQueue } from "../queue/judge-queue.ts";
import { readSliceMessage } from "../queue/slice-message.ts";

/** Kept of a function's time for what comes after the work: a request to SQS that is not answered ends after 10 s. */
const reserve = 12_000;

/**
 * The handler of the judge queue. A slice that is not finished sets its own visibility and is reported as failed, so
 * that the same message comes back; never a new message, since Lambda stops what looks like a loop of function and queue.
 */
export const sliceWorker =
  (evaluate: SliceEvaluation, queue: JudgeQueue, now: () => number = Date.now) =>
  async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
    for (const record of event.Records) {
      const startedAt = now();
      let outcome = "failed";
      let fault: unknown;
      try {
        const result = await evaluate(
          readSliceMessage(record.body),
          startedAt + context.getRemainingTimeInMillis() - reserve,
        );
        outcome = result.kind;
        if (result.kind === "later") {
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
