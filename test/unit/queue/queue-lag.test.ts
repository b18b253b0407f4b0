import type { Context, SQSRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { withQueueLag, type RedeliveryReason } from "../../../lib/queue/queue-lag.ts";
import { publishedLines } from "../../support/published-lines.ts";

const now = Date.parse("2026-11-22T09:00:00Z");

/** A message as Lambda passes it to a worker: instants and counts as text. */
const messageSent = (secondsAgo: number, receives = 1): SQSRecord =>
  ({
    messageId: "m",
    body: "{}",
    attributes: {
      SentTimestamp: String(now - secondsAgo * 1000),
      ApproximateFirstReceiveTimestamp: String(now),
      ApproximateReceiveCount: String(receives),
    },
  }) as SQSRecord;

const begin = (redelivery: RedeliveryReason, ...Records: SQSRecord[]) =>
  publishedLines(() =>
    withQueueLag(
      "judge",
      redelivery,
      async () => "done",
      () => now,
    )({ Records }, {} as Context),
  );

test("a worker publishes the age of the oldest message of its batch", async () => {
  const { lines, result } = await begin("waited", messageSent(10), messageSent(1000));

  expect(await result).toBe("done");
  expect(lines).toMatchObject([{ event: "batch_begun", worker: "judge", Lag: 1000 }]);
});

test("a message that was returned to wait is not late", async () => {
  expect((await begin("waited", messageSent(5_000, 2))).lines).toEqual([]);
  expect((await begin("waited", messageSent(5_000, 2), messageSent(20))).lines).toMatchObject([{ Lag: 20 }]);
});

test("a message that is redelivered because its worker failed is as late as it is old", async () => {
  expect((await begin("failed", messageSent(1_500, 7))).lines).toMatchObject([{ Lag: 1_500 }]);
});

test("a worker that fails has published the lag before", async () => {
  const failing = withQueueLag(
    "judge",
    "waited",
    () => Promise.reject(new Error("again")),
    () => now,
  );
  const { lines, result } = await publishedLines(() => failing({ Records: [messageSent(60)] }, {} as Context));

  await expect(result).rejects.toThrow("again");
  expect(lines).toMatchObject([{ Lag: 60 }]);
});
