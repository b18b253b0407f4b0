import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Decide } from "./fault-kind.ts";

type Batch = Readonly<Record<string, readonly unknown[]>>;

const isBatch = (value: unknown): value is Batch =>
  typeof value === "object" && value !== null && Object.values(value).every(Array.isArray);

/** Every second element of a batch, the first one always among them. */
const half = (batch: Batch, odd: number): Batch =>
  Object.fromEntries(Object.entries(batch).map(([table, items]) => [table, items.filter((_, at) => at % 2 === odd)]));

const count = (batch: Batch): number => Object.values(batch).reduce((sum, items) => sum + items.length, 0);

/** Makes a fault `partial-batch` of a batch write hand back every second item as unprocessed. */
export const partialBatches = (client: DynamoDBDocumentClient, decide: Decide): void => {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const batch: unknown = Reflect.get(args.input, "RequestItems");
      if (context["commandName"] !== "BatchWriteCommand" && context["commandName"] !== "BatchWriteItemCommand") {
        return await next(args);
      }
      if (!isBatch(batch) || count(batch) < 2) return await next(args);
      if ((await decide({ operation: "BatchWriteItem (answer)", input: {} })) !== "partial-batch")
        return await next(args);
      const answer = await next({ ...args, input: { ...args.input, RequestItems: half(batch, 0) } });
      return { ...answer, output: { ...answer.output, UnprocessedItems: half(batch, 1) } };
    },
    { step: "initialize", priority: "high", name: "partialBatches" },
  );
};
