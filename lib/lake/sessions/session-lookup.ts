import * as v from "valibot";
import { sortOrders } from "../../domain/list-order.ts";
import type { SessionTotalFilters } from "../../domain/sessions/filter.ts";
import { sessionSortColumns } from "../../domain/sessions/session.ts";
import type { TraceFilters } from "../../domain/traces/filter.ts";
import { foldForSearch } from "../../domain/traces/search/case-folding.ts";
import type { LakeEngine } from "../engine.ts";
import type { FileCopies } from "../file-copies.ts";
import {
  sessionFiguresSql,
  sessionPageSql,
  sessionStatesSql,
  type SharedSessions,
  unfoldedIdsSql,
} from "./session-sql.ts";
import { answerOfFiles } from "../sum-lookup.ts";
import { instantIn } from "../trace-list.ts";
import { startPosition, traceEntries } from "../trace-lookup.ts";

const [count, instant] = [v.number(), v.pipe(v.unknown(), v.transform(instantIn))];

const totalFilters = v.object({
  ...v.entriesFromList(["has_error", "has_failed_span"], v.optional(v.boolean())),
  ...v.entriesFromList(["min_trace_count", "min_latency_ms", "max_latency_ms"], v.optional(count)),
  ...v.entriesFromList(["min_cost", "max_cost", "min_tokens", "max_tokens"], v.optional(count)),
  query: v.optional(v.string()),
} satisfies Record<keyof SessionTotalFilters, v.GenericSchema>);

/**
 * Event with which the lake's function lists sessions or sums them up, instead of writing. Its caller has the keys of the files from the manifests of the
 * project whose sessions it lists.
 *
 * @param filters schema of the filters of traces.
 */
export const sessionLookupEvent = (filters: v.GenericSchema<unknown, TraceFilters>) =>
  v.object({
    sessions: v.object({
      ...traceEntries(filters),
      /** Sessions by a hash of their ids. */
      share: v.object({ index: v.number(), of: v.number() }),
      /** Ids of the share's sessions that also have rows. */
      ids: v.array(v.string()),
      /** A page of the list; null for figures of all sessions. */
      page: v.nullable(
        v.object({
          filters: totalFilters,
          sortBy: v.picklist(sessionSortColumns),
          order: v.picklist(sortOrders),
          limit: v.number(),
          after: startPosition,
        }),
      ),
    }),
  });

export type SessionLookup = v.InferOutput<ReturnType<typeof sessionLookupEvent>>["sessions"];

/** Schemas of replies, null if these cannot have all: figures, and one part of a list. */
export const sessionSums = v.nullable(
  v.array(
    v.object({
      id: v.nullable(v.string()),
      hour: v.string(),
      ...v.entriesFromList(["sessions", "traces", "finished", "duration"], count),
    }),
  ),
);
const sessionState = v.object({
  id: v.string(),
  firstAt: instant,
  lastAt: v.nullable(instant),
  latency: v.nullable(count),
  ...v.entriesFromList(["hasError", "hasFailedSpan"], v.boolean()),
  user: v.nullable(v.object({ id: v.string(), startedAt: instant, traceId: v.string() })),
  tags: v.array(v.string()),
  cost: v.tuple([count, count]),
  ...v.entriesFromList(["count", "errors", "spans", "tokens", "unpriced", "arrival"], count),
});
export const sessionParts = v.nullable(v.array(v.object({ total: count, sessions: v.array(sessionState) })));

const pageRow = v.object({ total: v.bigint(), ids: v.array(v.string()) });
const idRow = v.object({ id: v.string() });

/**
 * Returns a function that lists the sessions of a share, or sums them up, by the files of all days; null if there are too many for a reply.
 *
 * It throws an Error if there is no time for the files.
 */
export const sessionLookup =
  (copies: FileCopies, engine: LakeEngine, now: () => number = Date.now) =>
  ({ days, filters, giver, share, ids, page }: SessionLookup): Promise<unknown> =>
    answerOfFiles(copies, days, now, async (tables) => {
      const traces = { days: tables, filters, giver, now: now() };
      const sessions: SharedSessions = { traces, share, ids };
      if (page === null) return await engine.rows(sessionFiguresSql(sessions));
      const idPart = foldForSearch(page.filters.query ?? "");
      const query = idPart === "" ? undefined : idPart;
      const unfoldedIds = query === undefined ? [] : await engine.rows(unfoldedIdsSql(sessions));
      const foldedIds = unfoldedIds
        .map((row) => v.parse(idRow, row).id)
        .filter((id) => foldForSearch(id).includes(idPart));
      const pageQuery = { ...page, filters: { ...page.filters, query } };
      const [first] = await engine.rows(sessionPageSql(sessions, pageQuery, foldedIds));
      const { total, ids: pageIds } = v.parse(pageRow, first);
      return [{ total, sessions: await engine.rows(sessionStatesSql(traces, [...pageIds, ...ids])) }];
    });
