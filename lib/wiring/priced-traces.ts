import type { Database } from "../store/database.ts";
import { traceStore, type Traces } from "../store/traces/save.ts";
import { retentionDays } from "./environment.ts";
import { environmentPrices } from "./trace-prices.ts";

/** Traces as this function's environment says that they are kept and what their models cost. @throws Error when it is not set. */
export const environmentTraces = (database: Database): Traces =>
  traceStore(database, retentionDays(), Date.now, environmentPrices());
