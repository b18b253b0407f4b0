import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { withStreamLag } from "../../../lib/stream/stream-lag.ts";
import { publishedLines } from "../../support/published-lines.ts";

const now = Date.parse("2026-11-22T09:00:00Z");

/** A record as Lambda hands it over: its creation in epoch seconds. */
const created = (secondsAgo: number): DynamoDBRecord => ({
  dynamodb: { ApproximateCreationDateTime: now / 1000 - secondsAgo },
});

const worker = (handle: () => Promise<string> = async () => "done") =>
  withStreamLag<{ readonly Records?: readonly DynamoDBRecord[] }, string>("fold", handle, () => now);

test("a worker publishes how long the oldest record of its batch has waited", async () => {
  const { lines, result } = await publishedLines(() => worker()({ Records: [created(40), created(75.5), created(3)] }));

  expect(await result).toBe("done");
  expect(lines).toMatchObject([{ event: "batch_begun", worker: "fold", Lag: 75.5 }]);
});

test("a worker that fails every time has published before it does", async () => {
  const seen: number[] = [];
  const { lines, result } = await publishedLines((soFar) =>
    worker(() => {
      seen.push(soFar().length);
      return Promise.reject(new Error("again"));
    })({ Records: [created(1200)] }),
  );

  await expect(result).rejects.toThrow("again");
  expect(seen).toEqual([1]);
  expect(lines).toMatchObject([{ Lag: 1200 }]);
});

test("a clock that is behind the stream's makes nobody early", async () => {
  const { lines } = await publishedLines(() => worker()({ Records: [created(-5)] }));

  expect(lines).toMatchObject([{ Lag: 0 }]);
});

test.each([{}, { Records: [] }])("the call that ends a window has nothing to be late with: %j", async (event) => {
  const { lines, result } = await publishedLines(() => worker()(event));

  expect(await result).toBe("done");
  expect(lines).toEqual([]);
});
