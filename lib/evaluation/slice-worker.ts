import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { SliceEvaluation } from "./slices/evaluate-slice.ts";
import { faultFields, logLine } from "../log.ts";
import { withLogContext } from "../log-context.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { JudgeQueue } from "../queue/judge-queue.ts";
import { logContextOfMessage, readSliceMessage } from "../queue/slice-message.ts";

/** Milliseconds reserved after the work for the visibility request: an unanswered SQS request times out after 10 s. */
const reserveMilliseconds = 12_000;

/** Receives after which a message is not returned any more: SQS moves it to the dead-letter queue after 1,000, which is meant for faults. */
const lastReceive = 499;

/** Age after which a message is not returned any more, milliseconds: SQS deletes it 14 days after it was sent. */
const maxMessageAge = 10 * 86_400_000;

/** Last instant at which a message may be delivered again, epoch milliseconds; 0 if it must not be. */
const returnLimitOf = ({ attributes }: Pick<SQSRecord, "attributes">): number =>
  Number(attributes.ApproximateReceiveCount) >= lastReceive ? 0 : Number(attributes.SentTimestamp) + maxMessageAge;

/**
 * Creates the Lambda handler of the judge queue. If a slice is due again soon, its message gets a visibility time-out and is
 * reported as failed, so that SQS delivers it again. The handler never sends messages, because Lambda's recursion detection
 * stops loops of a function and a queue; the sweeper sends a new message for a dropped one.
 */
export const sliceWorker =
  (evaluate: SliceEvaluation, queue: JudgeQueue, now: () => number = Date.now) =>
  async (event: SQSEvent, context: Pick<Context, "getRemainingTimeInMillis">): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];

    const work = async (record: SQSRecord): Promise<void> => {
      const startedAt = now();
      let outcome = "failed";
      let fault: unknown;
      try {
        const returnLimit = returnLimitOf(record);
        const result = await evaluate(
          readSliceMessage(record.body),
          startedAt + context.getRemainingTimeInMillis() - reserveMilliseconds,
          returnLimit,
        );
        outcome = result.kind;
        if (result.kind === "later" && result.at < returnLimit) {
          await queue.delayMessage(record.receiptHandle, (result.at - now()) / 1000);
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
    };

    for (const record of event.Records) await withLogContext(logContextOfMessage(record.body), () => work(record));
    return { batchItemFailures };
  };
