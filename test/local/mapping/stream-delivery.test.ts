import { expect, test } from "vitest";
import { type CallOutcome, deliver, type Delivery, Stopped } from "../../../infra/local/mapping/stream-delivery.ts";
import type { StreamRecord } from "../../../infra/local/mapping/stream-record.ts";

const records = (count: number, at = Date.now()): StreamRecord[] =>
  Array.from({ length: count }, (_, index) => ({ sequence: String(index + 1), at, item: "", event: {}, size: 1 }));

/** Runs a delivery whose calls go as told; tells what was called, what was given up and how far it came. */
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
    giveUp: async (given, condition, _requestId, count) =>
      void givenUp.push({ records: given.map(({ sequence }) => sequence), condition, calls: count }),
    call: async (given): Promise<CallOutcome> => {
      const sequences = given.map(({ sequence }) => Number(sequence));
      calls.push(sequences);
      const failedFrom = fails(sequences, calls.length);
      return failedFrom === false ? { done: true } : { done: false, failedFrom, requestId: "r" };
    },
    ...options,
  });
  return { calls, givenUp, progress };
};

test("a batch that fails is called again, whole, until it works", async () => {
  const { calls, progress } = await run(records(2), (_, call) => (call < 3 ? 0 : false));

  expect(calls).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  expect(progress).toEqual(["2"]);
});

test("what stands before the reported record is done and is not called again", async () => {
  const { calls, progress } = await run(records(4), (_, call) => (call === 1 ? 2 : false));

  expect(calls).toEqual([
    [1, 2, 3, 4],
    [3, 4],
  ]);
  expect(progress).toEqual(["2", "4"]);
});

test("bisecting finds the record that fails, and only that one is given up", async () => {
  const { calls, givenUp, progress } = await run(records(4), (sequences) => (sequences.includes(3) ? 0 : false), {
    bisects: true,
    maximumRetries: 1,
  });

  expect(calls).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [4]]);
  expect(givenUp).toEqual([{ records: ["3"], condition: "RetryAttemptsExhausted", calls: 2 }]);
  expect(progress).toEqual(["2", "3", "4"]);
});

test("without retries a batch is given up after its first call", async () => {
  const { calls, givenUp } = await run(records(2), () => 0, { maximumRetries: 0 });

  expect(calls).toHaveLength(1);
  expect(givenUp).toEqual([{ records: ["1", "2"], condition: "RetryAttemptsExhausted", calls: 1 }]);
});

test("records that are too old are given up without a call", async () => {
  const { calls, givenUp } = await run(records(1, Date.now() - 61_000), () => false, { maximumAge: 60 });

  expect(calls).toEqual([]);
  expect(givenUp).toMatchObject([{ records: ["1"], condition: "RecordAgeExceeded" }]);
});

test("a record that grew old while nothing ran is still handled", async () => {
  const old = records(1, Date.now() - 3_600_000);
  const { calls, givenUp } = await run(old, () => false, { maximumAge: 60, runningSince: Date.now() });

  expect([calls, givenUp]).toEqual([[[1]], []]);
});

test("a delivery that is stopped gives nothing up", async () => {
  const controller = new AbortController();
  const stopped = run(records(1), () => 0, { signal: controller.signal, backOff: 10_000 });

  controller.abort();

  await expect(stopped).rejects.toBeInstanceOf(Stopped);
});
