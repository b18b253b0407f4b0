import type { DynamoDBRecord } from "aws-lambda";
import { publishLag } from "../published-metrics.ts";

interface Batch {
  /** None in the call that ends a window. */
  readonly Records?: readonly DynamoDBRecord[];
}

/**
 * Makes a stream's worker publish how late it is, by the oldest record of its batch, before it does anything else: one that
 * fails every time says so too.
 */
export const withStreamLag =
  <Event extends Batch, Result, Rest extends readonly unknown[] = readonly []>(
    worker: string,
    handle: (event: Event, ...rest: Rest) => Promise<Result>,
    now: () => number = Date.now,
  ) =>
  async (event: Event, ...rest: Rest): Promise<Result> => {
    const created = (event.Records ?? []).flatMap(({ dynamodb }) => dynamodb?.ApproximateCreationDateTime ?? []);
    if (created.length > 0) publishLag(worker, now() - Math.min(...created) * 1000);
    return await handle(event, ...rest);
  };
