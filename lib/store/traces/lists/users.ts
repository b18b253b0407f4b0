import { flatText, textBytes } from "../../../domain/flat-text.ts";
import { byPosition, type Position } from "../../../domain/page.ts";
import { byLastSeen, withTrace, type UserSummary } from "../../../domain/traces/user-summary.ts";
import type { Database } from "../../database.ts";
import { heldBudget, heldLimits, maxRows, rowBudget } from "../row-budget.ts";
import { rowScan } from "../row-scan.ts";

const newestFirst = byPosition("desc");

/** What a user takes beside the id: two instants, the sum and its place in the map. */
const userBytes = 350;

/**
 * Lists the users of a project's traces, who was seen last first, summed up at the time of the call.
 *
 * @param heldLimit bytes that the users may take.
 * @returns a function that throws a Refusal `invalid` when more than 2,000,000 rows would have to be read, or the users
 *   would take more memory than there is.
 */
export const userList = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  heldLimit: number = heldLimits[1769],
) => {
  const scan = rowScan(database, now);

  return async (
    project: string,
    limit: number,
    offset: number,
    after: Position | null = null,
  ): Promise<{ users: readonly UserSummary[]; total: number; last: Position | null }> => {
    const summaries = new Map<string, UserSummary>();
    const bounds = [["query"], "the project's traces"] as const;
    const [count, hold] = [rowBudget(rowLimit, ...bounds), heldBudget(heldLimit, "users", ...bounds)];
    await scan.all(project, { from: null, to: null }, { strongly: false }, (trace) => {
      count();
      const { userId } = trace;
      if (userId === null) return;
      const known = summaries.get(userId);
      const summary = withTrace(known, known?.userId ?? flatText(userId), trace);
      summaries.set(summary.userId, summary);
      if (known === undefined) hold(userBytes + textBytes(userId));
    });
    const users = [...summaries.values()].sort(byLastSeen);
    const behind =
      after === null
        ? users.slice(offset)
        : users.filter(({ lastSeen, userId }) => newestFirst({ key: lastSeen, id: userId }, after) > 0);
    const shown = behind.slice(0, limit);
    const end = behind.length > limit ? shown.at(-1) : undefined;
    return {
      users: shown,
      total: users.length,
      last: end === undefined ? null : { key: end.lastSeen, id: end.userId },
    };
  };
};
