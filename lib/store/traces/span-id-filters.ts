import { checkUnpacked } from "../../async/request-budget.ts";
import { mergeTrace } from "../../domain/traces/merge.ts";
import type { SpanIdFilters, SpanIdFilter, TraceRow } from "../../domain/traces/row.ts";
import { filterKeysOf } from "../../domain/traces/span-filter-keys.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { filterKeyHash } from "../documents/filter-key-hashes.ts";
import type { TraceReader } from "./reader.ts";
import { pieceOf } from "./unpack-pieces.ts";
import { shortId, type CommitResult, type TraceWriter } from "./writer.ts";

/**
 * Max hashes of span ids stored in the row itself, 4 bytes each: with more, a row would exceed 1 KB, one write unit.
 */
const maxRecent = 48;

/**
 * A stored span-id filter is merged with a new filter if it is at most this many times larger, so that a trace has few,
 * large filters.
 */
const maxAbsorbedRatio = 4;

const hashesOf = (keys: Iterable<string>): readonly number[] => Array.from(keys, filterKeyHash);

/** Span-id filters of a trace after more keys were added, and the writes that this requires. */
export interface SpanIdUpdate {
  readonly spanIds: SpanIdFilters;
  /** New filter, which must be stored before the row that names it; null if there is none. */
  readonly filter: { readonly id: string; readonly hashes: ReadonlySet<number> } | null;
  /** Filters that the new row does not name any more. */
  readonly replacedFilters: readonly SpanIdFilter[];
}

/**
 * Adds hashes to a trace's span-id filters.
 *
 * @param filtersRead stored filters that have been read, by id: only these can be merged.
 */
const withHashes = (
  spanIds: SpanIdFilters,
  added: readonly number[],
  filtersRead: ReadonlyMap<string, ReadonlySet<number>>,
): SpanIdUpdate => {
  const recent = [...spanIds.recent, ...added];
  if (recent.length <= maxRecent) return { spanIds: { ...spanIds, recent }, filter: null, replacedFilters: [] };
  const hashes = new Set(recent);
  const replaced: SpanIdFilter[] = [];
  for (const filter of spanIds.filters.toReversed()) {
    const filterHashes = filtersRead.get(filter.id);
    if (filterHashes === undefined || filter.count > maxAbsorbedRatio * hashes.size) break;
    filterHashes.forEach((hash) => hashes.add(hash));
    replaced.push(filter);
  }
  const id = shortId();
  const filters = [...spanIds.filters.slice(0, spanIds.filters.length - replaced.length), { id, count: hashes.size }];
  return { spanIds: { ...spanIds, filters, recent: [] }, filter: { id, hashes }, replacedFilters: replaced };
};

const noFilters: ReadonlyMap<string, ReadonlySet<number>> = new Map();

const noSpanIds: SpanIdFilters = { hasUsageKeys: true, inFirstPart: false, filters: [], recent: [] };

/**
 * Returns the span-id filters of a new or completely merged document.
 *
 * @param inFirstPart true if the whole document lies in the pointer: it serves as its own filter.
 */
export const spanIdsOfTrace = (trace: Trace, inFirstPart: boolean): SpanIdUpdate =>
  inFirstPart
    ? { spanIds: { ...noSpanIds, inFirstPart }, filter: null, replacedFilters: [] }
    : withHashes(noSpanIds, hashesOf(filterKeysOf(trace.spans)), noFilters);

/** Returns the span-id filters of a trace after a change of its document. */
export const spanIdsAfterChange = (row: TraceRow, before: Trace, after: Trace): SpanIdUpdate => {
  const { spanIds } = row.appendState ?? {};
  // Without an append state, for example after the loss of a filter, the filters are built from all spans.
  if (spanIds?.hasUsageKeys !== true) {
    const rebuilt = withHashes(noSpanIds, hashesOf(filterKeysOf(after.spans)), noFilters);
    return { ...rebuilt, replacedFilters: spanIds?.filters ?? [] };
  }
  if (after.spans === before.spans) return { spanIds, filter: null, replacedFilters: [] };
  const added = filterKeysOf(after.spans).difference(filterKeysOf(before.spans));
  return withHashes(spanIds, hashesOf(added), noFilters);
};

/** Stores the new filter of an update, if there is one; only then a row may name it. */
export const putFilter = async (
  writer: TraceWriter,
  project: string,
  { traceId, incarnation }: Pick<TraceRow, "traceId" | "incarnation">,
  { filter }: SpanIdUpdate,
  expiresAt: number | null,
): Promise<void> => {
  if (filter !== null) await writer.putFilter(project, traceId, incarnation, filter.id, filter.hashes, expiresAt);
};

/**
 * Deletes filters that no row names: after a commit the replaced filters, else the new filter, unless the current row
 * may name it.
 */
export const deleteUnusedFilters = async (
  writer: TraceWriter,
  project: string,
  trace: string,
  { filter, replacedFilters }: SpanIdUpdate,
  result: CommitResult,
): Promise<void> => {
  const isNamed = (id: string): boolean =>
    result.isCommitted || result.currentRow?.appendState?.spanIds.filters.some((each) => each.id === id) !== false;
  const unusedFilters = result.isCommitted ? replacedFilters : filter === null || isNamed(filter.id) ? [] : [filter];
  await Promise.all(unusedFilters.map(({ id }) => writer.deleteFilter(project, trace, id)));
};

/** Result of looking up keys in a trace's span-id filters: a test of which it may have, or `lost` if a stored filter is missing. */
export type SpanIdMembership = ((key: string) => boolean) | "lost";

/**
 * Reader of one trace's span-id filters. Each filter is read once, however often the trace's row changes.
 *
 * @param firstPart the document's first part, of the same incarnation as the rows.
 */
export const spanIdReader = (reader: TraceReader, project: string, trace: string, firstPart: Uint8Array | null) => {
  const filters = new Map<string, ReadonlySet<number>>();
  let hashesOfFirstPart: ReadonlySet<number> | null = null;

  const firstPartHashes = async (): Promise<ReadonlySet<number> | null> => {
    if (hashesOfFirstPart !== null || firstPart === null) return hashesOfFirstPart;
    checkUnpacked();
    const piece = await pieceOf([firstPart]);
    if (piece.kind !== "trace") return null;
    hashesOfFirstPart = new Set(hashesOf(filterKeysOf(mergeTrace(null, piece.trace).spans)));
    return hashesOfFirstPart;
  };

  const readFilter = async ({ id }: SpanIdFilter): Promise<ReadonlySet<number> | null> => {
    const hashes = filters.get(id) ?? (await reader.filter(project, trace, id));
    if (hashes !== null) filters.set(id, hashes);
    return hashes;
  };

  return {
    /** Looks up which of the keys the trace may have. */
    check: async (
      { inFirstPart, filters: rowFilters, recent }: SpanIdFilters,
      keys: Iterable<string>,
    ): Promise<SpanIdMembership> => {
      const sets = [
        new Set(recent),
        ...(await Promise.all([...rowFilters.map(readFilter), ...(inFirstPart ? [firstPartHashes()] : [])])),
      ];
      if (sets.includes(null)) return "lost";
      const presentKeys = new Set(
        Array.from(keys).filter((key) => {
          const hash = filterKeyHash(key);
          return sets.some((set) => set?.has(hash) === true);
        }),
      );
      return (key) => presentKeys.has(key);
    },
    /** Adds keys to the filters that `check` has read. */
    after: (spanIds: SpanIdFilters, keys: Iterable<string>): SpanIdUpdate =>
      withHashes(spanIds, hashesOf(keys), filters),
  };
};
