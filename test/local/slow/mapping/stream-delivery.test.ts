import { expect, test } from "vitest";
import {
  type CallOutcome,
  deliver,
  type Delivery,
  DeliveryStopped,
} from "../../../../infra/local/mapping/stream-delivery.ts";
import type { StreamRecord } from "../../../../infra/local/mapping/stream-record.ts";

const records = (count: number, at = Date.now()): StreamRecord[] =>
  Array.from({ length: count }, (_, index) => ({ sequence: String(index + 1), at, item: "", event: {}, size: 1 }));

/** Runs a delivery with scripted outcomes of its calls; returns the calls, the discarded records and the last position. */
const run = async (
  batch: readonly StreamRecord[],
  fails: (sequences: readonly number[], call: number) => number | false,
  options: Partial<Delivery> = {},
) => {
  const calls: number[][] = [];
  const givenUp: { records: string[]; condition: string; calls: number }[] = [];
  const progress: string[] = [];
  await deliver(batch, {
    bisects: false,
    maximumRetries: -1,
    maximumAge: -1,
    runningSince: 0,
    backOff: 0,
    signal: new AbortController().signal,
    progress: ({ sequence }) => void progress.push(sequence),
    giveUp: async (records, condition, _requestId, count) =>
      void givenUp.push({ records: records.map(({ sequence }) => sequence), condition, calls: count }),
    call: async (records): Promise<CallOutcome> => {
      const sequences = records.map(({ sequence }) => Number(sequence));
      calls.push(sequences);
      const failedFrom = fails(sequences, calls.length);
      return failedFrom === false ? { isComplete: true } : { isComplete: false, failedFrom, requestId: "r" };
    },
    ...options,
  });
  return { calls, givenUp, progress };
};

test("a failed batch is repeated whole until it succeeds", async () => {
  const { calls, progress } = await run(records(2), (_, call) => (call < 3 ? 0 : false));

  expect(calls).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  expect(progress).toEqual(["2"]);
});

test("records before the reported one are done and not repeated", async () => {
  const { calls, progress } = await run(records(4), (_, call) => (call === 1 ? 2 : false));

  expect(calls).toEqual([
    [1, 2, 3, 4],
    [3, 4],
  ]);
  expect(progress).toEqual(["2", "4"]);
});

test("bisecting isolates the failing record, and only that one is discarded", async () => {
  const { calls, givenUp, progress } = await run(records(4), (sequences) => (sequences.includes(3) ? 0 : false), {
    bisects: true,
    maximumRetries: 1,
  });

  expect(calls).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [4]]);
  expect(givenUp).toEqual([{ records: ["3"], condition: "RetryAttemptsExhausted", calls: 2 }]);
  expect(progress).toEqual(["2", "3", "4"]);
});

test("without retries a batch is discarded after its first call", async () => {
  const { calls, givenUp } = await run(records(2), () => 0, { maximumRetries: 0 });

  expect(calls).toHaveLength(1);
  expect(givenUp).toEqual([{ records: ["1", "2"], condition: "RetryAttemptsExhausted", calls: 1 }]);
});

test("records that are too old are discarded without a call", async () => {
  const { calls, givenUp } = await run(records(1, Date.now() - 61_000), () => false, { maximumAge: 60 });

  expect(calls).toEqual([]);
  expect(givenUp).toMatchObject([{ records: ["1"], condition: "RecordAgeExceeded" }]);
});

test("a record that grew too old while nothing ran is still handled", async () => {
  const old = records(1, Date.now() - 3_600_000);
  const { calls, givenUp } = await run(old, () => false, { maximumAge: 60, runningSince: Date.now() });

  expect([calls, givenUp]).toEqual([[[1]], []]);
});

test("a stopped delivery discards nothing", async () => {
  const controller = new AbortController();
  const stopped = run(records(1), () => 0, { signal: controller.signal, backOff: 10_000 });

  controller.abort();

  await expect(stopped).rejects.toBeInstanceOf(DeliveryStopped);
});
