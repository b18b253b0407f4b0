import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { countRequest } from "../async/request-budget.ts";

const readCommands = new Set(["GetItemCommand", "BatchGetItemCommand", "QueryCommand", "ScanCommand"]);

const consumedCapacity = v.object({ CapacityUnits: v.optional(v.number(), 0) });
const meteredOutput = v.object({
  ConsumedCapacity: v.optional(v.union([v.array(consumedCapacity), consumedCapacity])),
});
const transaction = v.object({ TransactItems: v.optional(v.array(v.unknown()), []) });

const unitsOf = (input: unknown, output: unknown): number => {
  const { ConsumedCapacity: capacities } = v.parse(meteredOutput, output);
  // The local engine reports none for transactions, in which each write takes two units at least.
  if (capacities === undefined) return 2 * v.parse(transaction, input).TransactItems.length;
  return [capacities].flat().reduce((sum, { CapacityUnits: units }) => sum + units, 0);
};

/** Adds a middleware to the client that counts its requests and their units in the budget of the current request. */
export const metered = (client: DynamoDBDocumentClient): DynamoDBDocumentClient => {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const countUnits = countRequest("lookups");
      if (countUnits === undefined) return next(args);
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
      const kind = readCommands.has(String(context["commandName"])) ? "readUnits" : "writeUnits";
      countUnits(kind, unitsOf(args.input, result.output));
      return result;
    },
    { step: "initialize", name: "meterRequests", override: true },
  );
  return client;
};
