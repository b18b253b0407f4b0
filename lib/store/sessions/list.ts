import { listOrder, type SortOrder } from "../../domain/list-order.ts";
import { byCodePoint } from "../../domain/order.ts";
import type { SessionFilter } from "../../domain/sessions/filter.ts";
import { sessionSortKey, SessionSum, type Session, type SessionSortColumn } from "../../domain/sessions/session.ts";
import type { Database } from "../database.ts";
import { maxRows, rowBudget } from "../traces/row-budget.ts";
import { rowScan } from "../traces/row-scan.ts";

/** Which sessions to list, and how. */
export interface SessionQuery {
  readonly filter: SessionFilter;
  readonly sortBy: SessionSortColumn;
  readonly order: SortOrder;
  readonly limit: number;
  readonly offset: number;
}

/**
 * Lists a project's sessions, summed up from their traces at the time of the call: there is no copy that could be wrong.
 *
 * @returns a function that throws a Refusal `invalid` when more than 2,000,000 rows would have to be read.
 */
export const sessionList = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const scan = rowScan(database, now);

  return async (project: string, query: SessionQuery): Promise<{ sessions: readonly Session[]; total: number }> => {
    const sums = new Map<string, SessionSum>();
    const { traces, admits, matches } = query.filter;
    const count = rowBudget(rowLimit, ["query", "started_after"], "started_after and started_before");
    await scan.all(project, traces, false, (trace) => {
      count();
      const id = trace.sessionId;
      if (id === null || !traces.matches(trace) || !admits(id)) return;
      const sum = sums.get(id) ?? new SessionSum(id);
      sum.add(trace);
      sums.set(id, sum);
    });
    const found = [...sums.values()]
      .flatMap((sum) => sum.session() ?? [])
      .filter(({ traceCount, hasError }) => matches({ traces: traceCount, hasError }))
      .map((session) => ({ session, key: sessionSortKey(session, query.sortBy) }))
      .sort(listOrder(query.order, (a, b) => byCodePoint(a.session.sessionId, b.session.sessionId)));
    const page = found.slice(query.offset, query.offset + query.limit);
    return { sessions: page.map(({ session }) => session), total: found.length };
  };
};
