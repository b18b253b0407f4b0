import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { withStreamLag } from "../../../lib/stream/stream-lag.ts";
import { publishedLines } from "../../support/published-lines.ts";

const now = Date.parse("2026-11-22T09:00:00Z");

/** A stream record as Lambda passes it to a worker, with its creation in epoch seconds. */
const created = (secondsAgo: number): DynamoDBRecord => ({
  dynamodb: { ApproximateCreationDateTime: now / 1000 - secondsAgo },
});

const worker = (handle: () => Promise<string> = async () => "done") =>
  withStreamLag<{ readonly Records?: readonly DynamoDBRecord[] }, string>("fold", handle, () => now);

test("a worker publishes the age of the oldest record of its batch", async () => {
  const { lines, result } = await publishedLines(() => worker()({ Records: [created(40), created(75.5), created(3)] }));

  expect(await result).toBe("done");
  expect(lines).toMatchObject([{ event: "batch_begun", worker: "fold", Lag: 75.5 }]);
});

test("a worker that fails every time has published the lag before", async () => {
  const lags: number[] = [];
  const { lines, result } = await publishedLines((soFar) =>
    worker(() => {
      lags.push(soFar().length);
      return Promise.reject(new Error("again"));
    })({ Records: [created(1200)] }),
  );

  await expect(result).rejects.toThrow("again");
  expect(lags).toEqual([1]);
  expect(lines).toMatchObject([{ Lag: 1200 }]);
});

test("a clock behind the stream's gives no negative lag", async () => {
  const { lines } = await publishedLines(() => worker()({ Records: [created(-5)] }));

  expect(lines).toMatchObject([{ Lag: 0 }]);
});

test.each([{}, { Records: [] }])("the call that ends a window has no lag: %j", async (event) => {
  const { lines, result } = await publishedLines(() => worker()(event));

  expect(await result).toBe("done");
  expect(lines).toEqual([]);
});
