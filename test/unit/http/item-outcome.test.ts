import { ProvisionedThroughputExceededException } from "@aws-sdk/client-dynamodb";
import * as v from "valibot";
import { expect, test } from "vitest";
import { failedItem, parseItem } from "../../../lib/http/traces/item-outcome.ts";
import { publishedLines } from "../../support/published-lines.ts";

const outcomeOf = (error: unknown) => publishedLines(async () => failedItem(error, "request-1"));

test.each([
  ["a fault of ours", new TypeError("secret content")],
  [
    "a database that throttles",
    new ProvisionedThroughputExceededException({ message: "secret content", $metadata: {} }),
  ],
])("an item that fails by %s is answered 503 and published, without its message", async (_, error) => {
  const { lines, result } = await outcomeOf(error);

  expect(await result).toMatchObject({ status: 503 });
  expect(lines).toMatchObject([
    { event: "batch_item_failed", FailedItems: 1, request_id: "request-1", fault: error.name },
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

test("an invalid item is its sender's error and is not published", async () => {
  const wrong = await publishedLines(async () => parseItem(v.object({ name: v.string() }), {})).then(({ result }) =>
    result.catch((error: unknown) => error),
  );

  const { lines, result } = await outcomeOf(wrong);

  expect(await result).toMatchObject({ status: 422 });
  expect(lines).toEqual([]);
});
