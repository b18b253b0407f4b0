import { pause } from "../host/background.ts";
import type { StreamRecord } from "./stream-record.ts";

/** Result of an invocation with stream records: complete, or failed from the record with index `failedFrom`. */
export type CallOutcome =
  | { readonly isComplete: true }
  | { readonly isComplete: false; readonly failedFrom: number; readonly requestId: string };

/** Options and callbacks for the delivery of stream records. */
export interface Delivery {
  call(records: readonly StreamRecord[]): Promise<CallOutcome>;
  /** Called once for records that are discarded after exhausted retries or maximum age. */
  giveUp(records: readonly StreamRecord[], condition: string, requestId: string, calls: number): Promise<void>;
  /** Called after each step with the last record that was handled or discarded. */
  progress(last: StreamRecord): void;
  readonly bisects: boolean;
  /** Maximum retries of a failed batch; -1 for no limit. */
  readonly maximumRetries: number;
  /** Maximum age of a record in seconds; -1 for no limit. */
  readonly maximumAge: number;
  /** Start of the local runtime in epoch milliseconds. The age of older records counts from then, because they could not be handled before. */
  readonly runningSince: number;
  readonly signal: AbortSignal;
  /** Milliseconds before the first retry; doubles with each retry up to 30 s. */
  readonly backOff: number;
}

/** Thrown when delivery is stopped. Unhandled records are delivered again after the next start. */
export class DeliveryStopped extends Error {}

/**
 * Delivers a batch in order until every record is handled or discarded.
 *
 * After a failure, the records before the reported record count as handled. With bisecting, the remaining records are split in
 * two, which does not count as a retry. Otherwise, and for a single record, they are retried until the maximum retries or age.
 *
 * @throws DeliveryStopped when the signal is aborted first
 */
export const deliver = async (records: readonly StreamRecord[], delivery: Delivery): Promise<void> => {
  let remaining = records;
  let calls = 0;
  while (remaining.length > 0) {
    if (delivery.signal.aborted) throw new DeliveryStopped();
    const [oldest] = remaining;
    const isTooOld = (): boolean =>
      delivery.maximumAge >= 0 &&
      Date.now() - Math.max(oldest?.at ?? 0, delivery.runningSince) > delivery.maximumAge * 1_000;
    const giveUp = async (condition: string, requestId: string): Promise<void> => {
      await delivery.giveUp(remaining, condition, requestId, calls);
      finish(remaining, delivery);
    };
    if (isTooOld()) return giveUp("RecordAgeExceeded", crypto.randomUUID());

    const outcome = await delivery.call(remaining);
    calls += 1;
    if (delivery.signal.aborted && !outcome.isComplete) throw new DeliveryStopped();
    if (outcome.isComplete) return finish(remaining, delivery);

    if (outcome.failedFrom > 0) {
      finish(remaining.slice(0, outcome.failedFrom), delivery);
      remaining = remaining.slice(outcome.failedFrom);
      calls = 0;
    }
    if (delivery.bisects && remaining.length > 1) {
      const middle = Math.ceil(remaining.length / 2);
      await deliver(remaining.slice(0, middle), delivery);
      return deliver(remaining.slice(middle), delivery);
    }
    if (delivery.maximumRetries >= 0 && calls > delivery.maximumRetries)
      return giveUp("RetryAttemptsExhausted", outcome.requestId);
    await pause(Math.min(30_000, delivery.backOff * 2 ** Math.min(calls, 20)), delivery.signal);
  }
};

const finish = (records: readonly StreamRecord[], delivery: Delivery): void => {
  const last = records.at(-1);
  if (last !== undefined) delivery.progress(last);
};
