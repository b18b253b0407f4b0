import type { Database } from "../../../lib/store/database.ts";
import { faultyDatabase } from "../faults/faults.ts";
import type { Call, Decide } from "../faults/fault-kind.ts";

/** A connection that notes its requests. */
export const watchedDatabase = (database: Database, decide: Decide = () => null) => {
  const calls: Call[] = [];
  const { client, table } = faultyDatabase(database, (call) => {
    if (!call.operation.includes("(")) calls.push(call);
    return decide(call);
  });
  return { client, table, calls };
};

/** A fault for the first request that fits, and none after it. */
export const once = (fits: (call: Call) => boolean, kind: Awaited<ReturnType<Decide>>): Decide => {
  let done = false;
  return (call) => {
    if (done || !fits(call)) return null;
    done = true;
    return kind;
  };
};

/** Whether a request is this operation on that table. */
export const isOn =
  (operation: string, table: string) =>
  (call: Call): boolean =>
    call.operation === operation && call.input["TableName"] === table;

/** Whether a request commits a trace's row. */
export const commitsRow = (call: Call): boolean =>
  isOn("PutItem", "rows")(call) || call.operation === "TransactWriteItems";
