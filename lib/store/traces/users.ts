import { byLastSeen, withTrace, type UserSummary } from "../../domain/traces/user-summary.ts";
import type { Database } from "../database.ts";
import { maxRows, rowBudget } from "./row-budget.ts";
import { rowScan } from "./row-scan.ts";

/**
 * Lists the users of a project's traces, who was seen last first, summed up at the time of the call.
 *
 * @returns a function that throws a Refusal `invalid` when more than 2,000,000 rows would have to be read.
 */
export const userList = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const scan = rowScan(database, now);

  return async (
    project: string,
    limit: number,
    offset: number,
  ): Promise<{ users: readonly UserSummary[]; total: number }> => {
    const summaries = new Map<string, UserSummary>();
    const count = rowBudget(rowLimit, ["query"], "the project's traces");
    await scan.all(project, { from: null, to: null }, false, (trace) => {
      count();
      const { userId } = trace;
      if (userId !== null) summaries.set(userId, withTrace(summaries.get(userId), userId, trace));
    });
    const users = [...summaries.values()].sort(byLastSeen);
    return { users: users.slice(offset, offset + limit), total: users.length };
  };
};
