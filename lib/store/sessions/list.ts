import { flatText, textBytes } from "../../domain/flat-text.ts";
import type { SortOrder } from "../../domain/list-order.ts";
import { byPosition, type Position } from "../../domain/page.ts";
import type { ScoresByName } from "../../domain/score-condition.ts";
import type { SessionFilter } from "../../domain/sessions/filter.ts";
import { sessionSortKey, SessionSum, type Session, type SessionSortColumn } from "../../domain/sessions/session.ts";
import { TopList } from "../../domain/top-list.ts";
import type { Database } from "../database.ts";
import { checkScored, mostScored, type ScoresOf } from "../traces/lists/selection.ts";
import { heldBudget, heldLimits, maxRows, rowBudget } from "../traces/row-budget.ts";
import { rowScan } from "../traces/row-scan.ts";

/** Which sessions to list, and how. */
export interface SessionQuery {
  readonly filter: SessionFilter;
  readonly sortBy: SessionSortColumn | "score";
  readonly order: SortOrder;
  readonly limit: number;
  readonly offset: number;
  /** The name of the scores that they are ordered by, where they are. */
  readonly sortScore?: string | undefined;
  /** The last session before the page, in place of `offset`. */
  readonly after?: Position | null;
}

/** A page of sessions, the number of all that match, and the place of the last one, null when the list ends with it. */
interface SessionPage {
  readonly sessions: readonly Session[];
  readonly total: number;
  readonly last: Position | null;
}

/** What a session takes beside its texts: its sum with three instants and an id, and its place in the map. */
const sessionBytes = 600;

interface Candidate extends Position {
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
  scoresOf?: ScoresOf,
) => {
  const scan = rowScan(database, now);

  return async (project: string, query: SessionQuery): Promise<SessionPage> => {
    const sums = new Map<string, SessionSum>();
    const { traces, admits, matches, scores } = query.filter;
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const [count, hold] = [rowBudget(rowLimit, ...bounds), heldBudget(heldLimit, "sessions", ...bounds)];
    await scan.all(project, traces, { strongly: false }, (trace) => {
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
    const { sortBy, order, limit, offset, after = null, sortScore = "" } = query;
    const compare = byPosition(order);
    const before = after === null ? offset : 0;
    // One more tells whether the list ends.
    const top = new TopList<Candidate>(before + limit + 1, compare);
    let total = 0;
    const add = (id: string, sum: SessionSum, session: Session, scored: ScoresByName | undefined): void => {
      total += 1;
      const key =
        sortBy === "score" ? (scored?.get(sortScore)?.number ?? null) : sessionSortKey(session, sum.errors, sortBy);
      const candidate = { key, id, sum };
      if (after === null || compare(candidate, after) > 0) top.add(candidate);
    };
    const found: SessionSum[] = [];
    for (const [id, sum] of sums) {
      const session = sum.session();
      if (session === null || !matches(session)) continue;
      if (scores === null) add(id, sum, session, undefined);
      else found.push(sum);
    }
    if (scores !== null) {
      checkScored(found.length, mostScored, ["query", "score"]);
      const of = await scoresOf?.(
        project,
        found.map(({ sessionId: id }) => ({ id, incarnation: null })),
        scores.names,
      );
      if (of === undefined) throw new Error("A filter asks for scores, and nobody is there to look.");
      found.forEach((sum, index) => {
        const [session, own] = [sum.session(), of[index]];
        if (session !== null && own !== undefined && scores.matches(own)) add(sum.sessionId, sum, session, own);
      });
    }
    const first = top.from(before);
    const shown = first.slice(0, limit);
    const end = first.length > limit ? shown.at(-1) : undefined;
    return {
      sessions: shown.flatMap(({ sum }) => sum.session() ?? []),
      total,
      last: end === undefined ? null : { key: end.key, id: end.id },
    };
  };
};
