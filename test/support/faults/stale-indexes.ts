import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Decide } from "./fault-kind.ts";

/** Makes the fault `stale-index` remove every second item from an index query, as if the index lagged. */
export const staleIndexes = (client: DynamoDBDocumentClient, decide: Decide): void => {
  client.middlewareStack.add(
    (next) => async (args) => {
      const index: unknown = Reflect.get(args.input, "IndexName");
      const answer = await next(args);
      if (typeof index !== "string") return answer;
      if ((await decide({ operation: "Query (index)", input: { IndexName: index } })) !== "stale-index") return answer;
      const items: unknown = Reflect.get(answer.output, "Items");
      const Items = Array.isArray(items) ? items.filter((_, at) => at % 2 === 1) : [];
      return { ...answer, output: { ...answer.output, Items } };
    },
    { step: "initialize", priority: "high", name: "staleIndexes" },
  );
};
