import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import { publishLag } from "../published-metrics.ts";

/** What it means that a message comes again: its worker failed, or may have given it back to wait. */
export type Redelivery = "failed" | "waited";

/**
 * Makes a queue's worker publish how late it is, by the oldest message of its batch, before it does anything else: one that
 * fails every time says so too. Where messages may be given back to wait, only their first delivery tells: after it
 * nobody but the worker knows since when a message is due.
 */
export const withQueueLag =
  <Result>(
    worker: string,
    redelivery: Redelivery,
    handle: (event: SQSEvent, context: Context) => Promise<Result>,
    now: () => number = Date.now,
  ) =>
  async (event: SQSEvent, context: Context): Promise<Result> => {
    const tells = ({ attributes }: SQSRecord): boolean =>
      redelivery === "failed" || attributes.ApproximateReceiveCount === "1";
    const sent = event.Records.filter(tells).map(({ attributes }) => Number(attributes.SentTimestamp));
    if (sent.length > 0) publishLag(worker, now() - Math.min(...sent));
    return await handle(event, context);
  };
