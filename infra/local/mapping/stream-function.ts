import type { Functions } from "../lambda/functions.ts";
import { batchOutcome } from "./batch-outcome.ts";
import type { EventSource } from "./event-source.ts";
import { type FailureDestination, failureRecord } from "./failure-record.ts";
import type { CallOutcome, Delivery } from "./stream-delivery.ts";
import type { StreamRecord } from "./stream-record.ts";

/** What the function answered, beside how it went. */
export interface StreamCall {
  readonly outcome: CallOutcome;
  /** The returned `state`, when there was one. */
  readonly state?: unknown;
}

/** Calls a stream's function with records and reads its report. */
export const callStreamFunction = async (
  functions: Functions,
  { functionName, reportsFailures, tumblingWindow }: EventSource,
  records: readonly StreamRecord[],
  window: Readonly<Record<string, unknown>>,
): Promise<StreamCall> => {
  const result = await functions.invoke(functionName, { Records: records.map(({ event }) => event), ...window });
  const { requestId } = result;
  const failedFrom = (index: number): CallOutcome => ({ done: false, failedFrom: index, requestId });
  if (result.error !== undefined) return { outcome: failedFrom(0) };

  const reply = JSON.parse(result.payload) as { readonly state?: unknown } | null;
  // A windowed function whose reply has no state has failed, whatever else it says.
  if (tumblingWindow > 0 && reply?.state === undefined) return { outcome: failedFrom(0) };
  const state = reply?.state;
  if (!reportsFailures) return { outcome: { done: true }, state };
  const failed = batchOutcome(result.payload, new Set(records.map(({ sequence }) => sequence)));
  if (failed === "none") return { outcome: { done: true }, state };
  if (failed === "all") return { outcome: failedFrom(0) };
  return { outcome: failedFrom(records.findIndex(({ sequence }) => failed.has(sequence))), state };
};

/** Makes the sender of records about batches that were given up; they name records and hold nothing of them. */
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
