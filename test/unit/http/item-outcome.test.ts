import { ProvisionedThroughputExceededException } from "@aws-sdk/client-dynamodb";
import * as v from "valibot";
import { expect, test } from "vitest";
import { failedItem, parseItem } from "../../../lib/http/traces/item-outcome.ts";
import { publishedLines } from "../../support/published-lines.ts";

const outcomeOf = (error: unknown) => publishedLines(async () => failedItem(error, "request-1"));

test.each([
  ["a fault of ours", new TypeError("secret content"), undefined],
  ["a broken connection", Object.assign(new Error("secret content"), { code: "ECONNRESET" }), "ECONNRESET"],
  ["an error with a text as its code", Object.assign(new Error("x"), { code: "Esecret content" }), undefined],
  [
    "a database that throttles",
    new ProvisionedThroughputExceededException({ message: "secret content", $metadata: {} }),
    undefined,
  ],
])(
  "an item that fails by %s is answered 503 and published with its system code, without its message",
  async (_, error, code) => {
    const { lines, result } = await outcomeOf(error);

    expect(await result).toMatchObject({ status: 503 });
    expect(lines).toMatchObject([
      { event: "batch_item_failed", FailedItems: 1, request_id: "request-1", fault: error.name },
    ]);
    expect(lines[0]?.["code"]).toBe(code);
    expect(JSON.stringify(lines)).not.toContain("secret");
  },
);

test("an invalid item is its sender's error and is not published", async () => {
  const wrong = await publishedLines(async () => parseItem(v.object({ name: v.string() }), {})).then(({ result }) =>
    result.catch((error: unknown) => error),
  );

  const { lines, result } = await outcomeOf(wrong);

  expect(await result).toMatchObject({ status: 422 });
  expect(lines).toEqual([]);
});
