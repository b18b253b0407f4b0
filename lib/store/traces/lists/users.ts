import { flatText, textBytes } from "../../../domain/flat-text.ts";
import type { SortOrder } from "../../../domain/list-order.ts";
import { byPosition, type Position } from "../../../domain/page.ts";
import { TopList } from "../../../domain/top-list.ts";
import { traceFilter, type TraceFilter } from "../../../domain/traces/filter.ts";
import { userSortKey, UserSum, type UserSortColumn, type UserSummary } from "../../../domain/traces/user-summary.ts";
import type { Database } from "../../database.ts";
import { heldBudget, heldLimits, maxRows, rowBudget } from "../row-budget.ts";
import { rowScan } from "../row-scan.ts";
import { selection, type ScoresOf } from "./selection.ts";

/** Which users to list, and how. */
interface UserQuery {
  /** Which traces users are summed up from. */
  readonly filter: TraceFilter;
  readonly sortBy: UserSortColumn;
  readonly order: SortOrder;
}

interface Candidate extends Position {
  readonly user: UserSummary;
}

/** What a user takes beside the id: its sum with two instants, and its place in the map. */
const userBytes = 450;

const allUsers: UserQuery = { filter: traceFilter({}), sortBy: "last_seen", order: "desc" };

/**
 * Lists the users of a project's traces, summed up at the time of the call from those that match.
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
  scoresOf?: ScoresOf,
) => {
  const scan = rowScan(database, now);

  return async (
    project: string,
    limit: number,
    offset: number,
    after: Position | null = null,
    { filter, sortBy, order }: UserQuery = allUsers,
  ): Promise<{ users: readonly UserSummary[]; total: number; last: Position | null }> => {
    const sums = new Map<string, UserSum>();
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const [count, hold] = [rowBudget(rowLimit, ...bounds), heldBudget(heldLimit, "users", ...bounds)];
    const selected = selection(project, filter, scoresOf, ["query", "score"], (trace) => {
      const { userId } = trace;
      if (userId === null) return;
      const known = sums.get(userId);
      const sum = known ?? new UserSum(flatText(userId));
      sum.add(trace);
      if (known !== undefined) return;
      sums.set(sum.userId, sum);
      hold(userBytes + textBytes(userId));
    });
    await scan.all(project, filter, { strongly: false, lives: filter.scores !== null }, (trace) => {
      count();
      selected.see(trace);
    });
    await selected.end();
    const compare = byPosition(order);
    const before = after === null ? offset : 0;
    // One more tells whether the list ends.
    const top = new TopList<Candidate>(before + limit + 1, compare);
    for (const sum of sums.values()) {
      const user = sum.summary();
      const candidate = { key: userSortKey(user, sortBy), id: user.userId, user };
      if (after === null || compare(candidate, after) > 0) top.add(candidate);
    }
    const found = top.from(before);
    const shown = found.slice(0, limit);
    const end = found.length > limit ? shown.at(-1) : undefined;
    return {
      users: shown.map(({ user }) => user),
      total: sums.size,
      last: end === undefined ? null : { key: end.key, id: end.id },
    };
  };
};
