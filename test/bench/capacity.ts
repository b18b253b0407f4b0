import type { Database } from "../../lib/dynamo/database.ts";

/** Capacity units by table and index, as billed by DynamoDB. */
export interface Spent {
  read: number;
  write: number;
  calls: number;
}

interface Consumed {
  readonly TableName?: string;
  readonly CapacityUnits?: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

interface Output {
  readonly ConsumedCapacity?: Consumed | Consumed[] | undefined;
}

const reading = new Set(["GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"]);

/** Capacity units reported in a reply to an operation such as `PutItem`, without excluded tables. */
export const unitsOf = (
  operation: string,
  { ConsumedCapacity = [] }: Output,
  except: readonly string[] = [],
): { readonly read: number; readonly write: number } => {
  const consumed = [ConsumedCapacity].flat().filter(({ TableName = "" }) => !except.includes(TableName));
  const units = consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  return reading.has(operation) ? { read: units, write: 0 } : { read: 0, write: units };
};

/**
 * Counts the capacity units of all following calls.
 * @returns a function that returns the units since its last call, summed over all tables but `except`.
 */
export const countCapacity = ({ client }: Database): ((except?: readonly string[]) => Spent) => {
  let log: { readonly operation: string; readonly output: Output }[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "INDEXES" } });
      const operation = String(context["commandName"]).replace("Command", "");
      // Every reply may contain the member, but only some commands' types declare it.
      const output: unknown = result.output;
      // Keeps only the capacity, to release the rest of the reply.
      const { ConsumedCapacity } = output as Output;
      log.push({ operation, output: { ConsumedCapacity } });
      return result;
    },
    { step: "initialize", name: "countCapacity" },
  );
  return (except = []) => {
    const spent: Spent = { read: 0, write: 0, calls: log.length };
    for (const { operation, output } of log) {
      const { read, write } = unitsOf(operation, output, except);
      spent.read += read;
      spent.write += write;
    }
    log = [];
    return spent;
  };
};
