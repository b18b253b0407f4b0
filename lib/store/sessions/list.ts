import { flattenText, textBytes } from "../../domain/text.ts";
import type { SortOrder } from "../../domain/list-order.ts";
import { byPosition, type Position } from "../../domain/page.ts";
import type { ScoresByName } from "../../domain/score-condition.ts";
import type { SessionFilter } from "../../domain/sessions/filter.ts";
import { sessionSortKey, SessionSum, type Session, type SessionSortColumn } from "../../domain/sessions/session.ts";
import { topPage } from "../../domain/top-list.ts";
import type { Database } from "../../dynamo/database.ts";
import type { FileDays } from "../traces/lists/file-days.ts";
import { checkScoreReads, maxScoreReads, type ScoresOf } from "../traces/lists/list.ts";
import { scanWithFiles } from "../traces/lists/scan-with-files.ts";
import type { PackedTrace } from "../traces/packed-trace.ts";
import { memoryBudget, memoryLimits, maxRows, rowBudget, rowScan } from "../traces/row-scan.ts";

/** A request for a page of sessions. */
export interface SessionQuery {
  readonly filter: SessionFilter;
  readonly sortBy: SessionSortColumn | "score";
  readonly order: SortOrder;
  readonly limit: number;
  readonly offset: number;
  /** Name of the scores to sort by, if sorted by score. */
  readonly sortScore?: string | undefined;
  /** Cursor: sort key and id of the last session before the page; replaces `offset`. */
  readonly after?: Position | null;
  /** Days that are read from files instead of rows; null for none. Files have no scores of sessions. */
  readonly files?: FileDays | null;
}

/**
 * A page of sessions, the number of all matching sessions, and the cursor of the page's last session; null when the
 * list ends with the page.
 */
interface SessionPage {
  readonly sessions: readonly Session[];
  readonly total: number;
  readonly last: Position | null;
}

/** Bytes of memory that a session takes beside its texts: its sum with three instants and an id, and its map entry. */
const sessionBytes = 600;

interface Candidate extends Position {
  readonly sum: SessionSum;
}

/**
 * Returns a function that lists a project's sessions, aggregated from their traces at the time of the call, whose rows or
 * files of closed days it reads. The function throws a Refusal `invalid` when more than 2,000,000 rows would have to be
 * read, or the sessions exceed the memory limit.
 *
 * @param memoryLimit bytes of memory that the sessions may take.
 */
export const sessionList = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  memoryLimit: number = memoryLimits[1769],
  scoresOf?: ScoresOf,
) => {
  const scan = rowScan(database, now);

  return async (project: string, query: SessionQuery): Promise<SessionPage> => {
    const sums = new Map<string, SessionSum>();
    const { traces, matchesId, matches, scores, totals } = query.filter;
    const { sortBy, order, limit, offset, after = null, sortScore = "", files = null } = query;
    const top = topPage<Candidate, Position>({ limit, offset }, byPosition(order), after, ({ id }) => id);
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const [countRow, addBytes] = [rowBudget(rowLimit, ...bounds), memoryBudget(memoryLimit, "sessions", ...bounds)];
    const visit = (trace: PackedTrace): void => {
      countRow();
      const id = trace.sessionId;
      if (id === null || !traces.matches(trace) || !matchesId(id)) return;
      const existingSum = sums.get(id);
      const sum = existingSum ?? new SessionSum(flattenText(id));
      addBytes(sum.add(trace));
      if (existingSum !== undefined) return;
      sums.set(sum.sessionId, sum);
      addBytes(sessionBytes + textBytes(id));
    };
    const ask = async (days: FileDays, rows: Promise<unknown>) => {
      await rows;
      if (sortBy === "score") return null;
      return await days.sessions({ filters: totals, sortBy, order, limit: top.size, after }, [...sums.keys()]);
    };
    const rows = { reading: { strongly: false }, visit, limit: [rowLimit, ...bounds] } as const;
    const ofFiles = await scanWithFiles(scan, project, traces, rows, { files, ask });
    let total = 0;
    const add = (id: string, sum: SessionSum, session: Session, scoresByName?: ScoresByName): void => {
      const key =
        sortBy === "score"
          ? (scoresByName?.get(sortScore)?.number ?? null)
          : sessionSortKey(session, sum.errors, sortBy);
      top.add({ key, id, sum });
    };
    for (const part of ofFiles ?? []) {
      total += part.total;
      for (const { id, ...state } of part.sessions) {
        const sum = sums.get(id) ?? new SessionSum(id);
        sum.addState(state);
        const session = sums.has(id) ? null : sum.session();
        if (session !== null) add(id, sum, session);
      }
    }
    const matchingSums: SessionSum[] = [];
    for (const [id, sum] of sums) {
      const session = sum.session();
      if (session === null || !matches(session)) continue;
      if (scores !== null) matchingSums.push(sum);
      else {
        total += 1;
        add(id, sum, session);
      }
    }
    if (scores !== null) {
      checkScoreReads(matchingSums.length, maxScoreReads, ["query", "score"]);
      const scoresBySession = await scoresOf?.(
        project,
        matchingSums.map(({ sessionId: id }) => ({ id, incarnation: null })),
        scores,
      );
      if (scoresBySession === undefined)
        throw new Error("The filter has score conditions, but no score reader is configured.");
      matchingSums.forEach((sum, index) => {
        const [session, sessionScores] = [sum.session(), scoresBySession[index]];
        if (session === null || sessionScores === undefined || !scores.matches(sessionScores)) return;
        total += 1;
        add(sum.sessionId, sum, session, sessionScores);
      });
    }
    const { items, last } = top.page();
    return { sessions: items.flatMap(({ sum }) => sum.session() ?? []), total, last };
  };
};
