import { flattenText, textBytes } from "../../../domain/text.ts";
import type { SortOrder } from "../../../domain/list-order.ts";
import { byPosition, type Position } from "../../../domain/page.ts";
import { topPage } from "../../../domain/top-list.ts";
import { traceFilter, type TraceFilter } from "../../../domain/traces/filter.ts";
import { userSortKey, UserSum, type UserSortColumn, type UserSummary } from "../../../domain/traces/user-summary.ts";
import type { Database } from "../../../dynamo/database.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { memoryBudget, memoryLimits, maxRows, rowBudget, rowScan } from "../row-scan.ts";
import type { FileDays } from "./file-days.ts";
import { selection, type ScoresOf } from "./list.ts";
import { scanWithFiles } from "./scan-with-files.ts";

/** A request for a list of users. */
interface UserQuery {
  /** Traces from which users are aggregated. */
  readonly filter: TraceFilter;
  readonly sortBy: UserSortColumn;
  readonly order: SortOrder;
  /** Days that are read from files instead of rows; null for none. */
  readonly files?: FileDays | null;
}

interface Candidate extends Position {
  readonly user: UserSummary;
}

/** Bytes of memory that a user takes beside the id: a sum with two instants, and a map entry. */
const userBytes = 450;

const allUsers: UserQuery = { filter: traceFilter({}), sortBy: "last_seen", order: "desc" };

/**
 * Returns a function that lists the users of a project's traces, aggregated from the matching traces at the time of
 * the call. The function throws a Refusal `invalid` when more than 2,000,000 rows would have to be read, or the users
 * exceed the memory limit.
 *
 * @param memoryLimit bytes of memory that the users may take.
 */
export const userList = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  memoryLimit: number = memoryLimits[1769],
  scoresOf?: ScoresOf,
) => {
  const scan = rowScan(database, now);

  return async (
    project: string,
    limit: number,
    offset: number,
    after: Position | null = null,
    { filter, sortBy, order, files = null }: UserQuery = allUsers,
  ): Promise<{ users: readonly UserSummary[]; total: number; last: Position | null }> => {
    const sums = new Map<string, UserSum>();
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const [countRow, addBytes] = [rowBudget(rowLimit, ...bounds), memoryBudget(memoryLimit, "users", ...bounds)];
    const sumOf = (userId: string): UserSum => {
      const existingSum = sums.get(userId);
      if (existingSum !== undefined) return existingSum;
      const sum = new UserSum(flattenText(userId));
      sums.set(sum.userId, sum);
      addBytes(userBytes + textBytes(userId));
      return sum;
    };
    const selected = selection(project, filter, scoresOf, ["query", "score"], (trace) => {
      if (trace.userId !== null) sumOf(trace.userId).add(trace);
    });
    const visit = (trace: PackedTrace): void => {
      countRow();
      selected.add(trace);
    };
    const reading = { strongly: false, withIncarnations: filter.scores !== null };
    const question = { files, ask: (days: FileDays) => days.users() };
    const rows = { reading, visit, limit: [rowLimit, ...bounds] } as const;
    const ofFiles = await scanWithFiles(scan, project, filter, rows, question);
    await selected.finish();
    for (const totals of ofFiles ?? []) sumOf(totals.userId).addTotals(totals);
    const top = topPage<Candidate, Position>({ limit, offset }, byPosition(order), after, ({ id }) => id);
    for (const sum of sums.values()) {
      const user = sum.summary();
      top.add({ key: userSortKey(user, sortBy), id: user.userId, user });
    }
    const { items, last } = top.page();
    return { users: items.map(({ user }) => user), total: sums.size, last };
  };
};
