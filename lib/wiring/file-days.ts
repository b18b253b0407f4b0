import { lookupBounds } from "../aws/call-bounds.ts";
import { functionInvoker } from "../aws/invoke-function.ts";
import type { Database } from "../dynamo/database.ts";
import { lakeFileDays } from "../lake/file-days.ts";
import type { FileDaysReader } from "../store/traces/lists/file-days.ts";
import { variables } from "./environment.ts";

/** Returns the reader of lists and sums from files, which the lake's function reads; null on a service without DuckDB. */
export const environmentFileDays = (database: Database): FileDaysReader | null => {
  const name = process.env[variables.lakeWriter] ?? "";
  if (name === "") return null;
  const invoke = functionInvoker(lookupBounds);
  return lakeFileDays(database, {
    list: (list) => invoke(name, { list }),
    sum: (sum) => invoke(name, { sum }),
    sessions: (sessions) => invoke(name, { sessions }),
    targets: (targets) => invoke(name, { targets }),
  });
};
