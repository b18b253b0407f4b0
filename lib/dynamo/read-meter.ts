import { AsyncLocalStorage } from "node:async_hooks";
import * as v from "valibot";
import type { Database } from "./database.ts";

/** Read units consumed by some work, as reported by DynamoDB. */
export interface ReadMeter {
  units: number;
}

const meters = new AsyncLocalStorage<ReadMeter>();

/** Runs `work`, adding to `meter` the read units of clients that have `installReadMeter`. */
export const withReadMeter = <Result>(meter: ReadMeter, work: () => Result): Result => meters.run(meter, work);

const readCommands = new Set(["GetItemCommand", "BatchGetItemCommand", "QueryCommand", "ScanCommand"]);

const consumedCapacity = v.object({ CapacityUnits: v.optional(v.number(), 0) });
const meteredOutput = v.object({
  ConsumedCapacity: v.optional(v.union([consumedCapacity, v.array(consumedCapacity)])),
});

const unitsOf = (output: unknown): number => {
  const { ConsumedCapacity: capacities = [] } = v.parse(meteredOutput, output);
  return [capacities].flat().reduce((sum, { CapacityUnits: units }) => sum + units, 0);
};

/** Adds a middleware to the client that meters reads made within `withReadMeter`. Call it once per client. */
export const installReadMeter = ({ client }: Pick<Database, "client">): void => {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const meter = meters.getStore();
      const name = String(context["commandName"]);
      if (meter === undefined || !readCommands.has(name)) return next(args);
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
      meter.units += unitsOf(result.output);
      return result;
    },
    { step: "initialize", name: "meterReads", override: true },
  );
};
