import type { Database } from "../../../lib/dynamo/database.ts";
import { faultyDatabase } from "../faults/faults.ts";
import type { Call, Decide } from "../faults/fault-kind.ts";
import { type PausePoint, pausePoint } from "../service/pause-point.ts";

/** A database connection that records its requests. */
export const watchedDatabase = (database: Database, decide: Decide = () => null) => {
  const calls: Call[] = [];
  const { client, table } = faultyDatabase(database, (call) => {
    if (!call.operation.includes("(")) calls.push(call);
    return decide(call);
  });
  return { client, table, calls };
};

/** Injects a fault into the first matching request only. */
export const once = (fits: (call: Call) => boolean, kind: Awaited<ReturnType<Decide>>): Decide => {
  let isInjected = false;
  return (call) => {
    if (isInjected || !fits(call)) return null;
    isInjected = true;
    return kind;
  };
};

/** A pause before a matching request: the first one waits until the test resumes it. */
export const pauseAt = (fits: (call: Call) => boolean): PausePoint & { readonly decide: Decide } => {
  const point = pausePoint();
  return {
    ...point,
    decide: async (call) => {
      if (fits(call)) await point.pass();
      return null;
    },
  };
};

/** True if a request is the given operation on the given table. */
export const isOn =
  (operation: string, table: string) =>
  (call: Call): boolean =>
    call.operation === operation && call.input["TableName"] === table;

/** True if a request commits a trace's row. */
export const commitsRow = (call: Call): boolean =>
  isOn("PutItem", "rows")(call) || call.operation === "TransactWriteItems";
