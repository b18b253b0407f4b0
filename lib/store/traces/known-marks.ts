import { mergeTrace } from "../../domain/traces/merge.ts";
import type { KnownMarks, MarkFilter, TraceRow } from "../../domain/traces/row.ts";
import { marksOf } from "../../domain/traces/span-marks.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { markHash } from "../documents/mark-hashes.ts";
import { pieceOf, type TraceReader } from "./reader.ts";
import { shortId, type Replaced, type TraceWriter } from "./writer.ts";

/** Hashes that a row holds itself, in 4 bytes each: with more of them a row would take more than the 1 KB of one unit. */
const mostRecent = 48;

/** A filter that has so many times what comes to it at most is written again with it: there are few of them, and they grow. */
const absorbed = 4;

const hashesOf = (marks: Iterable<string>): readonly number[] => Array.from(marks, markHash);

/** What is known after more marks, and what that takes. */
export interface MarksAfter {
  readonly known: KnownMarks;
  /** A filter to be stored before the row that names it. */
  readonly filter: { readonly id: string; readonly hashes: ReadonlySet<number> } | null;
  /** Filters that the row does not name any more. */
  readonly left: readonly MarkFilter[];
}

/** What is known after hashes were added; `read` has the filters that may be written again. */
const withHashes = (
  known: KnownMarks,
  added: readonly number[],
  read: ReadonlyMap<string, ReadonlySet<number>>,
): MarksAfter => {
  const recent = [...known.recent, ...added];
  if (recent.length <= mostRecent) return { known: { ...known, recent }, filter: null, left: [] };
  const hashes = new Set(recent);
  const left: MarkFilter[] = [];
  for (const filter of known.filters.toReversed()) {
    const own = read.get(filter.id);
    if (own === undefined || filter.count > absorbed * hashes.size) break;
    own.forEach((hash) => hashes.add(hash));
    left.push(filter);
  }
  const id = shortId();
  const filters = [...known.filters.slice(0, known.filters.length - left.length), { id, count: hashes.size }];
  return { known: { ...known, filters, recent: [] }, filter: { id, hashes }, left };
};

const nothingRead: ReadonlyMap<string, ReadonlySet<number>> = new Map();

const nothingKnown: KnownMarks = { inFirstPart: false, filters: [], recent: [] };

/** The marks of a whole document, which lies in the pointer where `inFirstPart`. */
export const marksOfWhole = (trace: Trace, inFirstPart: boolean): MarksAfter =>
  inFirstPart
    ? { known: { ...nothingKnown, inFirstPart }, filter: null, left: [] }
    : withHashes(nothingKnown, hashesOf(marksOf(trace.spans)), nothingRead);

/** What is known of a trace's marks after a change of its document that was read. */
export const marksAfterChange = (row: TraceRow, before: Trace, after: Trace): MarksAfter => {
  // What an earlier version has written says nothing of its marks.
  if (row.late === null) return withHashes(nothingKnown, hashesOf(marksOf(after.spans)), nothingRead);
  if (after.spans === before.spans) return { known: row.late.marks, filter: null, left: [] };
  const added = marksOf(after.spans).difference(marksOf(before.spans));
  return withHashes(row.late.marks, hashesOf(added), nothingRead);
};

/** Stores the filter of what is known; after it the row may name it. */
export const putMarks = async (
  writer: TraceWriter,
  project: string,
  { traceId, incarnation }: Pick<TraceRow, "traceId" | "incarnation">,
  { filter }: MarksAfter,
  expiresAt: number | null,
): Promise<void> => {
  if (filter !== null) await writer.putFilter(project, traceId, incarnation, filter.id, filter.hashes, expiresAt);
};

/**
 * Deletes what no row names: filters that were written again when the row was committed, else the one that was to be, unless
 * the row may name it.
 */
export const tidyMarks = async (
  writer: TraceWriter,
  project: string,
  trace: string,
  { filter, left }: MarksAfter,
  done: Replaced,
): Promise<void> => {
  const isNamed = (id: string): boolean =>
    done.held || done.there?.late?.marks.filters.some((each) => each.id === id) !== false;
  const gone = done.held ? left : filter === null || isNamed(filter.id) ? [] : [filter];
  await Promise.all(gone.map(({ id }) => writer.deleteFilter(project, trace, id)));
};

/** Whether a trace has any of some marks. */
export type Sight = "none" | "perhaps" | "lost";

/**
 * The marks of one trace, as far as its rows lead to them. What was read once is not read again, however often the row changes.
 *
 * @param firstPart the part of the document in the pointer, of the incarnation that the rows have.
 */
export const markSight = (reader: TraceReader, project: string, trace: string, firstPart: Uint8Array | null) => {
  const filters = new Map<string, ReadonlySet<number>>();
  let first: ReadonlySet<number> | null = null;

  const ofFirstPart = async (): Promise<ReadonlySet<number> | null> => {
    if (first !== null || firstPart === null) return first;
    const piece = await pieceOf([firstPart]);
    if (piece.kind !== "trace") return null;
    first = new Set(hashesOf(marksOf(mergeTrace(null, piece.trace).spans)));
    return first;
  };

  const filter = async ({ id }: MarkFilter): Promise<ReadonlySet<number> | null> => {
    const found = filters.get(id) ?? (await reader.filter(project, trace, id));
    if (found !== null) filters.set(id, found);
    return found;
  };

  return {
    /** `lost`: a filter that the row names is not there. */
    look: async ({ inFirstPart, filters: named, recent }: KnownMarks, marks: Iterable<string>): Promise<Sight> => {
      const asked = hashesOf(marks);
      const sets = [
        new Set(recent),
        ...(await Promise.all([...named.map(filter), ...(inFirstPart ? [ofFirstPart()] : [])])),
      ];
      if (sets.includes(null)) return "lost";
      return asked.some((hash) => sets.some((set) => set?.has(hash) === true)) ? "perhaps" : "none";
    },
    /** What is known after marks were added to those that were looked at. */
    after: (known: KnownMarks, marks: Iterable<string>): MarksAfter => withHashes(known, hashesOf(marks), filters),
  };
};
