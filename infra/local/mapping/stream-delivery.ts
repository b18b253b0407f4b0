import { pause } from "../host/background.ts";
import type { StreamRecord } from "./stream-record.ts";

/** How a call with some records went: all done, or failed from one of them on. */
export type CallOutcome =
  | { readonly done: true }
  | { readonly done: false; readonly failedFrom: number; readonly requestId: string };

/** What delivery needs to know and to do. */
export interface Delivery {
  call(records: readonly StreamRecord[]): Promise<CallOutcome>;
  /** Told once for records that are given up. */
  giveUp(records: readonly StreamRecord[], condition: string, requestId: string, calls: number): Promise<void>;
  /** Told after each step with the last record that is done with. */
  progress(last: StreamRecord): void;
  readonly bisects: boolean;
  /** -1: without end. */
  readonly maximumRetries: number;
  /** Seconds; -1: without end. */
  readonly maximumAge: number;
  /** Epoch milliseconds. Before it nobody could handle a record, so it does not age: Lambda is never switched off, this runtime is. */
  readonly runningSince: number;
  readonly signal: AbortSignal;
  /** Milliseconds before the first retry; doubles up to 30 s. */
  readonly backOff: number;
}

/** Thrown when delivery was stopped; what is not done is delivered again later. */
export class Stopped extends Error {}

/**
 * Delivers a batch until every record is done with or given up, in order.
 *
 * After a failure the records before the reported one are done. With bisecting the rest is split in two, which is no
 * retry; else, and for a single record, it is tried again until the retries or the age run out.
 *
 * @throws Stopped when the signal fires first.
 */
export const deliver = async (records: readonly StreamRecord[], delivery: Delivery): Promise<void> => {
  let left = records;
  let calls = 0;
  while (left.length > 0) {
    if (delivery.signal.aborted) throw new Stopped();
    const [oldest] = left;
    const isTooOld = (): boolean =>
      delivery.maximumAge >= 0 &&
      Date.now() - Math.max(oldest?.at ?? 0, delivery.runningSince) > delivery.maximumAge * 1_000;
    const giveUp = async (condition: string, requestId: string): Promise<void> => {
      await delivery.giveUp(left, condition, requestId, calls);
      finish(left, delivery);
    };
    if (isTooOld()) return giveUp("RecordAgeExceeded", crypto.randomUUID());

    const outcome = await delivery.call(left);
    calls += 1;
    if (delivery.signal.aborted && !outcome.done) throw new Stopped();
    if (outcome.done) return finish(left, delivery);

    if (outcome.failedFrom > 0) {
      finish(left.slice(0, outcome.failedFrom), delivery);
      left = left.slice(outcome.failedFrom);
      calls = 0;
    }
    if (delivery.bisects && left.length > 1) {
      const middle = Math.ceil(left.length / 2);
      await deliver(left.slice(0, middle), delivery);
      return deliver(left.slice(middle), delivery);
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
