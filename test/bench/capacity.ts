import type { Database } from "../../lib/store/database.ts";

/** Capacity units by table and index, as DynamoDB bills them. */
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

/** The capacity units that a reply reports, of one operation such as `PutItem`, without some tables. */
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
 * Counts what every call consumes from now on.
 *
 * @returns a function that gives the units since it was last called, all tables but `except` together.
 */
export const countCapacity = ({ client }: Database): ((except?: readonly string[]) => Spent) => {
  let log: { readonly operation: string; readonly output: Output }[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "INDEXES" } });
      const operation = String(context["commandName"]).replace("Command", "");
      // Every reply may carry the member; only some commands' types say so.
      const output: unknown = result.output;
      // Not the whole reply: what was read would be kept.
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
