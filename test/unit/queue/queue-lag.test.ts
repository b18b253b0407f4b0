import type { Context, SQSRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { withQueueLag, type Redelivery } from "../../../lib/queue/queue-lag.ts";
import { publishedLines } from "../../support/published-lines.ts";

const now = Date.parse("2026-11-22T09:00:00Z");

/** A message as Lambda hands it over: instants and counts as text. */
const sent = (secondsAgo: number, receives = 1): SQSRecord =>
  ({
    messageId: "m",
    body: "{}",
    attributes: {
      SentTimestamp: String(now - secondsAgo * 1000),
      ApproximateFirstReceiveTimestamp: String(now),
      ApproximateReceiveCount: String(receives),
    },
  }) as SQSRecord;

const begin = (redelivery: Redelivery, ...Records: SQSRecord[]) =>
  publishedLines(() =>
    withQueueLag(
      "judge",
      redelivery,
      async () => "done",
      () => now,
    )({ Records }, {} as Context),
  );

test("a worker publishes how long the oldest message of its batch has waited", async () => {
  const { lines, result } = await begin("waited", sent(10), sent(1000));

  expect(await result).toBe("done");
  expect(lines).toMatchObject([{ event: "batch_begun", worker: "judge", Lag: 1000 }]);
});

test("a message that was given back to wait is not late", async () => {
  expect((await begin("waited", sent(5_000, 2))).lines).toEqual([]);
  expect((await begin("waited", sent(5_000, 2), sent(20))).lines).toMatchObject([{ Lag: 20 }]);
});

test("a message that only comes again because its worker failed is as late as it is old", async () => {
  expect((await begin("failed", sent(1_500, 7))).lines).toMatchObject([{ Lag: 1_500 }]);
});

test("a worker that fails has published before it does", async () => {
  const failing = withQueueLag(
    "judge",
    "waited",
    () => Promise.reject(new Error("again")),
    () => now,
  );
  const { lines, result } = await publishedLines(() => failing({ Records: [sent(60)] }, {} as Context));

  await expect(result).rejects.toThrow("again");
  expect(lines).toMatchObject([{ Lag: 60 }]);
});
