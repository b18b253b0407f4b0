import { AsyncLocalStorage } from "node:async_hooks";
import * as v from "valibot";
import type { Database } from "./database.ts";

/** Read units that DynamoDB says some work has taken. */
export interface ReadMeter {
  units: number;
}

const meters = new AsyncLocalStorage<ReadMeter>();

/** Does something that is metered, where its database is. */
export const metering = <Result>(meter: ReadMeter, work: () => Result): Result => meters.run(meter, work);

const reads = new Set(["GetItemCommand", "BatchGetItemCommand", "QueryCommand", "ScanCommand"]);

const consumed = v.object({ CapacityUnits: v.optional(v.number(), 0) });
const reported = v.object({ ConsumedCapacity: v.optional(v.union([consumed, v.array(consumed)])) });

const unitsOf = (output: unknown): number => {
  const { ConsumedCapacity: all = [] } = v.parse(reported, output);
  return [all].flat().reduce((sum, { CapacityUnits: units }) => sum + units, 0);
};

/** Has DynamoDB say what each read takes while work is metered. Once is enough for a database. */
export const meterReads = ({ client }: Pick<Database, "client">): void => {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const meter = meters.getStore();
      const name = String(context["commandName"]);
      if (meter === undefined || !reads.has(name)) return next(args);
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
      meter.units += unitsOf(result.output);
      return result;
    },
    { step: "initialize", name: "meterReads", override: true },
  );
};
