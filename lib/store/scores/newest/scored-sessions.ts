import type { Database } from "../../../dynamo/database.ts";
import { sessionList } from "../../sessions/list.ts";
import { newestValues } from "./values.ts";

/** Lists of sessions, filtered by rows and by newest scores. */
export const scoredSessionList = (database: Database, now: () => number = Date.now): ReturnType<typeof sessionList> =>
  sessionList(database, now, undefined, undefined, newestValues(database, "session", now));
