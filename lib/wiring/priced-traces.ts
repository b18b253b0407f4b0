import type { Database } from "../dynamo/database.ts";
import { traceStore, type Traces } from "../store/traces/save.ts";
import { retentionDays } from "./environment.ts";
import { environmentPrices } from "./trace-prices.ts";

/** Creates the store of traces with retention and model prices from the environment. @throws Error if the retention is not set. */
export const environmentTraces = (database: Database): Traces =>
  traceStore(database, retentionDays(), Date.now, environmentPrices());
