import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import { publishLag } from "../published-metrics.ts";

/** Reason for a redelivered message: its worker failed, or possibly returned it to wait. */
export type RedeliveryReason = "failed" | "waited";

/**
 * Wraps the handler of a queue so that it first publishes its lag, the age of the oldest message in the batch. A handler that
 * always fails still publishes its lag. If messages may be returned to wait, only first deliveries count, because the queue does
 * not know when a returned message is due.
 */
export const withQueueLag =
  <Result>(
    worker: string,
    redelivery: RedeliveryReason,
    handle: (event: SQSEvent, context: Context) => Promise<Result>,
    now: () => number = Date.now,
  ) =>
  async (event: SQSEvent, context: Context): Promise<Result> => {
    const countsForLag = ({ attributes }: SQSRecord): boolean =>
      redelivery === "failed" || attributes.ApproximateReceiveCount === "1";
    const sentTimestamps = event.Records.filter(countsForLag).map(({ attributes }) => Number(attributes.SentTimestamp));
    if (sentTimestamps.length > 0) publishLag(worker, now() - Math.min(...sentTimestamps));
    return await handle(event, context);
  };
