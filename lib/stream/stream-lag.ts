import type { DynamoDBRecord } from "aws-lambda";
import { publishLag } from "../published-metrics.ts";

interface Batch {
  /** Stream records; absent in the last call of a tumbling window. */
  readonly Records?: readonly DynamoDBRecord[];
}

/**
 * Wraps the handler of a stream so that it first publishes its lag, the age of the oldest record in the batch. A handler that
 * always fails still publishes its lag.
 */
export const withStreamLag =
  <Event extends Batch, Result, Args extends readonly unknown[] = readonly []>(
    worker: string,
    handle: (event: Event, ...args: Args) => Promise<Result>,
    now: () => number = Date.now,
  ) =>
  async (event: Event, ...args: Args): Promise<Result> => {
    const created = (event.Records ?? []).flatMap(({ dynamodb }) => dynamodb?.ApproximateCreationDateTime ?? []);
    if (created.length > 0) publishLag(worker, now() - Math.min(...created) * 1000);
    return await handle(event, ...args);
  };
