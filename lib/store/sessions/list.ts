import { flatText, textBytes } from "../../domain/flat-text.ts";
import { listOrder, type SortKey, type SortOrder } from "../../domain/list-order.ts";
import { byCodePoint } from "../../domain/order.ts";
import type { SessionFilter } from "../../domain/sessions/filter.ts";
import { sessionSortKey, SessionSum, type Session, type SessionSortColumn } from "../../domain/sessions/session.ts";
import { TopList } from "../../domain/top-list.ts";
import type { Database } from "../database.ts";
import { heldBudget, heldLimits, maxRows, rowBudget } from "../traces/row-budget.ts";
import { rowScan } from "../traces/row-scan.ts";

/** Which sessions to list, and how. */
export interface SessionQuery {
  readonly filter: SessionFilter;
  readonly sortBy: SessionSortColumn;
  readonly order: SortOrder;
  readonly limit: number;
  readonly offset: number;
}

/** What a session takes beside its texts: its sum with three instants and an id, and its place in the map. */
const sessionBytes = 600;

interface Candidate {
  readonly key: SortKey;
  readonly id: string;
  readonly sum: SessionSum;
}

/**
 * Lists a project's sessions, summed up from their traces at the time of the call: there is no copy that could be wrong.
 *
 * @param heldLimit bytes that the sessions may take.
 * @returns a function that throws a Refusal `invalid` when more than 2,000,000 rows would have to be read, or the sessions
 *   would take more memory than there is.
 */
export const sessionList = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  heldLimit: number = heldLimits[1769],
) => {
  const scan = rowScan(database, now);

  return async (project: string, query: SessionQuery): Promise<{ sessions: readonly Session[]; total: number }> => {
    const sums = new Map<string, SessionSum>();
    const { traces, admits, matches } = query.filter;
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const [count, hold] = [rowBudget(rowLimit, ...bounds), heldBudget(heldLimit, "sessions", ...bounds)];
    await scan.all(project, traces, false, (trace) => {
      count();
      const id = trace.sessionId;
      if (id === null || !traces.matches(trace) || !admits(id)) return;
      const known = sums.get(id);
      const sum = known ?? new SessionSum(flatText(id));
      hold(sum.add(trace));
      if (known !== undefined) return;
      sums.set(sum.sessionId, sum);
      hold(sessionBytes + textBytes(id));
    });
    const { sortBy, order, limit, offset } = query;
    const top = new TopList<Candidate>(
      offset + limit,
      listOrder(order, (a, b) => byCodePoint(a.id, b.id)),
    );
    let total = 0;
    for (const [id, sum] of sums) {
      const session = sum.session();
      if (session === null || !matches({ traces: session.traceCount, hasError: session.hasError })) continue;
      total += 1;
      top.add({ key: sessionSortKey(session, sortBy), id, sum });
    }
    return { sessions: top.from(offset).flatMap(({ sum }) => sum.session() ?? []), total };
  };
};
