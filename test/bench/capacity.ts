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

const reading = new Set(["GetItem", "BatchGetItem", "Query", "TransactGetItems"]);

/**
 * Counts what every call consumes from now on.
 *
 * @returns a function that gives the units since it was last called, all tables but `except` together.
 */
export const countCapacity = ({ client }: Database): ((except?: readonly string[]) => Spent) => {
  let log: { readonly call: string; readonly consumed: Consumed }[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "INDEXES" } });
      const call = String(context["commandName"]).replace("Command", "");
      // Every reply may carry the member; only some commands' types say so.
      const output: unknown = result.output;
      const { ConsumedCapacity = [] } = output as Output;
      for (const consumed of [ConsumedCapacity].flat()) log.push({ call, consumed });
      return result;
    },
    { step: "initialize", name: "countCapacity" },
  );
  return (except = []) => {
    const spent: Spent = { read: 0, write: 0, calls: log.length };
    for (const { call, consumed } of log) {
      if (except.includes(consumed.TableName ?? "")) continue;
      if (reading.has(call)) spent.read += consumed.CapacityUnits ?? 0;
      else spent.write += consumed.CapacityUnits ?? 0;
    }
    log = [];
    return spent;
  };
};
