import type { Database } from "../../../dynamo/database.ts";
import { traceList, type TraceList } from "../../traces/lists/list.ts";
import { newestValues } from "./values.ts";

/** Lists of traces, filtered by rows and by newest scores. */
export const scoredTraceList = (database: Database, now: () => number = Date.now): TraceList =>
  traceList(database, now, undefined, undefined, newestValues(database, "trace", now));
