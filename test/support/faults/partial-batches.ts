import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Decide } from "./fault-kind.ts";

type Batch = Readonly<Record<string, readonly unknown[]>>;

const isBatch = (value: unknown): value is Batch =>
  typeof value === "object" && value !== null && Object.values(value).every(Array.isArray);

/** Every second element of a batch, always including the first. */
const half = (batch: Batch, odd: number): Batch =>
  Object.fromEntries(Object.entries(batch).map(([table, items]) => [table, items.filter((_, at) => at % 2 === odd)]));

const count = (batch: Batch): number => Object.values(batch).reduce((sum, items) => sum + items.length, 0);

/** True for the request items of a batch read. */
const isReading = (value: unknown): value is Readonly<Record<string, { readonly Keys: readonly unknown[] }>> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((table: unknown) => Array.isArray(Object(table).Keys));

const writes = /^BatchWrite(?:Item)?Command$/;
const reads = /^BatchGet(?:Item)?Command$/;

/** Makes the faults `partial-batch` and `partial-get` return every second element of a batch as unprocessed. */
export const partialBatches = (client: DynamoDBDocumentClient, decide: Decide): void => {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const name = context["commandName"] ?? "";
      const batch: unknown = Reflect.get(args.input, "RequestItems");
      if (writes.test(name) && isBatch(batch) && count(batch) > 1) {
        if ((await decide({ operation: "BatchWriteItem (answer)", input: {} })) !== "partial-batch")
          return await next(args);
        const answer = await next({ ...args, input: { ...args.input, RequestItems: half(batch, 0) } });
        return { ...answer, output: { ...answer.output, UnprocessedItems: half(batch, 1) } };
      }
      if (reads.test(name) && isReading(batch)) {
        const keys = Object.fromEntries(Object.entries(batch).map(([table, { Keys }]) => [table, Keys]));
        if (count(keys) < 2) return await next(args);
        if ((await decide({ operation: "BatchGetItem (answer)", input: {} })) !== "partial-get")
          return await next(args);
        const asking = (odd: number) =>
          Object.fromEntries(
            Object.entries(half(keys, odd)).map(([table, Keys]) => [table, { ...batch[table], Keys }]),
          );
        const answer = await next({ ...args, input: { ...args.input, RequestItems: asking(0) } });
        return { ...answer, output: { ...answer.output, UnprocessedKeys: asking(1) } };
      }
      return await next(args);
    },
    { step: "initialize", priority: "high", name: "partialBatches" },
  );
};
