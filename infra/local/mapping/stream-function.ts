import type { Functions } from "../lambda/functions.ts";
import { batchOutcome } from "./batch-outcome.ts";
import type { EventSource } from "./event-source.ts";
import { type FailureDestination, failureRecord } from "./failure-record.ts";
import type { CallOutcome, Delivery } from "./stream-delivery.ts";
import type { StreamRecord } from "./stream-record.ts";

/** Outcome of an invocation with stream records, and the state that the function returned. */
export interface StreamCall {
  readonly outcome: CallOutcome;
  /** The `state` of the reply; undefined when absent. */
  readonly state?: unknown;
}

/** Invokes a stream's function with records and reads its partial batch response. @param window further members of the event */
export const callStreamFunction = async (
  functions: Functions,
  { functionName, reportsFailures, tumblingWindow }: EventSource,
  records: readonly StreamRecord[],
  window: Readonly<Record<string, unknown>>,
): Promise<StreamCall> => {
  const result = await functions.invoke(functionName, { Records: records.map(({ event }) => event), ...window });
  const { requestId } = result;
  const failedFrom = (index: number): CallOutcome => ({ isComplete: false, failedFrom: index, requestId });
  if (result.error !== undefined) return { outcome: failedFrom(0) };

  const reply = JSON.parse(result.payload) as { readonly state?: unknown } | null;
  // A function with tumbling windows must return a state; a reply without one is a failure.
  if (tumblingWindow > 0 && reply?.state === undefined) return { outcome: failedFrom(0) };
  const state = reply?.state;
  if (!reportsFailures) return { outcome: { isComplete: true }, state };
  const failed = batchOutcome(result.payload, new Set(records.map(({ sequence }) => sequence)));
  if (failed === "none") return { outcome: { isComplete: true }, state };
  if (failed === "all") return { outcome: failedFrom(0) };
  return { outcome: failedFrom(records.findIndex(({ sequence }) => failed.has(sequence))), state };
};

/** Creates the sender of failure records for discarded batches. They contain sequence numbers, but no content of the records. */
export const giveUpBatch =
  (functions: Functions, source: EventSource, shardId: string, send: FailureDestination): Delivery["giveUp"] =>
  async (records, condition, requestId, calls) => {
    const [first, last] = [records[0], records.at(-1)];
    if (source.onFailure === undefined || first === undefined || last === undefined) return;
    const { arn } = functions.definition(source.functionName);
    await send(source.onFailure, {
      ...failureRecord(arn, requestId, condition, calls),
      DDBStreamBatchInfo: {
        shardId,
        startSequenceNumber: first.sequence,
        endSequenceNumber: last.sequence,
        approximateArrivalOfFirstRecord: new Date(first.at).toISOString(),
        approximateArrivalOfLastRecord: new Date(last.at).toISOString(),
        batchSize: records.length,
        streamArn: source.sourceArn,
      },
    });
  };
