import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { TracePiece } from "../../domain/traces/piece.ts";
import type { PieceLocation, TraceRow } from "../../domain/traces/row.ts";
import { shownTrace } from "../../domain/traces/times.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { tryAgain, withRetries, throwContention } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import { bodyReader, partItem, pointerItem, type Body, type Pointer } from "./read-body.ts";
import { pieceOf, traceOfPieces, unpackPieces } from "./unpack-pieces.ts";
import { unpackRow } from "./row-codec.ts";
import { unpackHashes } from "../documents/filter-key-hashes.ts";
import { bodyPartition, filterSort, keyOfRow, partSort, pointerKey, rowKey, traceOfBody } from "./keys.ts";

/** A trace's row, without the trace's document. */
export interface StoredRow {
  readonly row: TraceRow;
  /** Expiry of the trace, epoch seconds; null if it never expires. */
  readonly expiresAt: number | null;
}

/** A stored trace with its document and its row. */
export interface StoredTrace extends StoredRow {
  /** The trace as it is shown, see `shownTrace`. */
  readonly trace: Trace;
  /** The trace as its pieces have it, to which changes apply. */
  readonly document: Trace;
}

/** What the id of a deleted trace rejects: for 24 hours telemetry and changes, and everything if the trace was erased with its user. */
export type Rejection = "nothing" | "telemetry" | "everything";

/** Stored state of a trace id: nothing, a pointer without a row (a write that is not committed), the pointer of a deleted trace, or a trace. */
export type TraceState =
  | { readonly kind: "absent" }
  | { readonly kind: "uncommitted"; readonly pointer: Pointer }
  | { readonly kind: "deleted"; readonly pointer: Pointer; readonly rejects: Rejection }
  | ({ readonly kind: "stored" } & StoredTrace);

/** State of a trace id whose pointer a new trace takes over. */
export type HeldState = Exclude<TraceState, { readonly kind: "absent" | "stored" }>;

const storedTraceOf = (storedRow: StoredRow, document: Trace): StoredTrace => ({
  ...storedRow,
  trace: shownTrace(document, storedRow.row.ending),
  document,
});

/** State of a trace with a document above the requested size. */
const largeState = { kind: "large" } as const;
type LargeState = typeof largeState;

/** What lies in the place of a row: the row, or the tombstone of a deleted trace with the time until which it rejects telemetry, epoch seconds. */
interface Place {
  readonly deletedUntil?: number | undefined;
  readonly isErased?: boolean;
  readonly storedRow: StoredRow | null;
}

const keyedPointerItem = v.intersect([v.object({ pk: v.string() }), pointerItem]);
const bodyHashItem = v.object({ bh: v.optional(v.string()) });
const filterItem = v.object({ b: v.instance(Uint8Array) });
const rowKeyItem = v.object({ sk: v.instance(Uint8Array) });
const rowItem = v.object({
  d: v.optional(v.instance(Uint8Array)),
  i: v.string(),
  x: v.optional(v.string()),
  erased: v.optional(v.boolean()),
  ttl: v.optional(v.number()),
});

/**
 * A recent state of a trace's pointer, and the document's first part in it; null if that was merged into another
 * piece.
 */
export interface PointerSnapshot {
  readonly pointer: Pointer;
  readonly firstPart: Uint8Array | null;
}

/** Reader of single traces. Reads are strongly consistent unless documented otherwise. */
export const traceReader = (database: Database, now: () => number = Date.now) => {
  const [rows, bodies] = [itemsOf(database, "rows"), itemsOf(database, "bodies")];
  const readBody = bodyReader(database);

  /** Reads a trace's pointer without the document's first part. */
  const readPointer = async (project: string, trace: string): Promise<Pointer | null> => {
    const item = await bodies.get(pointerKey(project, trace), { attributes: "r, rs, i" });
    if (item === undefined) return null;
    const { r, i } = v.parse(pointerItem, item);
    return { startedAt: r, incarnation: i };
  };

  /**
   * Unpacks a row's item; null when the row has expired, or belongs to another incarnation of the trace than the
   * pointer.
   */
  const rowIn = (item: Item, pointer: Pointer): StoredRow | null => {
    const { d, i, ttl } = v.parse(rowItem, item);
    if (d === undefined || i !== pointer.incarnation) return null;
    if (ttl !== undefined && ttl * 1000 <= now()) return null;
    return { row: unpackRow(item), expiresAt: ttl ?? null };
  };

  /**
   * Reads the row of a pointer, or the tombstone in its place.
   *
   * @param deletedUntil time in the pointer of a deleted trace, whose tombstone may have expired.
   */
  const readPlace = async (project: string, trace: string, pointer: Pointer, deletedUntil?: number): Promise<Place> => {
    const item = await rows.get(rowKey(project, trace, pointer));
    if (item === undefined) return { deletedUntil, storedRow: null };
    const { x, ttl, erased } = v.parse(rowItem, item);
    if (x !== pointer.incarnation && deletedUntil === undefined) return { storedRow: rowIn(item, pointer) };
    const isErased = x === pointer.incarnation && erased === true;
    return { deletedUntil: deletedUntil ?? ttl, isErased, storedRow: null };
  };

  const readRow = async (project: string, trace: string, pointer: Pointer): Promise<StoredRow | null> =>
    (await readPlace(project, trace, pointer)).storedRow;

  const rejectionOf = ({ deletedUntil = 0, isErased = false }: Place): Rejection => {
    if (deletedUntil * 1000 <= now()) return "nothing";
    return isErased ? "everything" : "telemetry";
  };

  /** Reads the pointers of many trace ids. @returns pointers by trace id; unclaimed ids are omitted. */
  const readPointers = async (
    project: string,
    traces: readonly string[],
    strongly: boolean,
  ): Promise<ReadonlyMap<string, PointerSnapshot>> => {
    const keys = traces.map((trace) => pointerKey(project, trace));
    const items = await batchGet(database, "bodies", keys, { strongly });
    return new Map(
      items.map((item) => {
        const { pk, r, i, b } = v.parse(keyedPointerItem, item);
        return [traceOfBody(pk).trace, { pointer: { startedAt: r, incarnation: i }, firstPart: b ?? null }];
      }),
    );
  };

  const readRows = async (
    project: string,
    pointers: ReadonlyMap<string, Pointer>,
  ): Promise<ReadonlyMap<string, StoredRow>> => {
    const keys = Array.from(pointers, ([trace, pointer]) => rowKey(project, trace, pointer));
    const items = await batchGet(database, "rows", keys);
    return new Map(
      items.flatMap((item): [string, StoredRow][] => {
        const { traceId } = keyOfRow(v.parse(rowKeyItem, item).sk);
        const pointer = pointers.get(traceId);
        const row = pointer === undefined ? null : rowIn(item, pointer);
        return row === null ? [] : [[traceId, row]];
      }),
    );
  };

  /** Assembles a trace from the parts of its pieces; see `unpackPieces`. */
  const assembleTrace = async (
    row: TraceRow,
    parts: ReadonlyMap<string, Uint8Array>,
    maxBytes: number,
  ): Promise<Trace | "large" | null> => {
    const texts = await unpackPieces(row.pieces, parts, maxBytes);
    return texts === null || texts === "large" ? texts : { ...traceOfPieces(texts), tags: row.tags };
  };

  /** Reads the state of a trace id. The read is repeated when it falls between two writes of a writer. */
  const readStateUpTo = async (project: string, trace: string, maxBytes: number): Promise<TraceState | LargeState> => {
    const readBodyAgain = (): Promise<Body> => readBody(project, trace, maxBytes);
    let body = await readBodyAgain();
    const stateWith = async (storedRow: StoredRow, parts: Body["parts"]): Promise<TraceState | LargeState | null> => {
      const document = await assembleTrace(storedRow.row, parts, maxBytes);
      if (document === null) return null;
      return document === "large" ? largeState : { kind: "stored", ...storedTraceOf(storedRow, document) };
    };
    return await withRetries(
      immediateRetryPolicy,
      throwContention("A trace's document parts did not match its row at any attempt."),
      async () => {
        const { pointer, parts } = body;
        if (body.isLarge) return largeState;
        if (pointer === null) return { kind: "absent" };
        const place = await readPlace(project, trace, pointer, body.deletedUntil);
        if (place.deletedUntil !== undefined) return { kind: "deleted", pointer, rejects: rejectionOf(place) };
        const { storedRow } = place;
        const state = storedRow === null ? null : await stateWith(storedRow, parts);
        if (state !== null) return state;
        body = await readBodyAgain();
        if (body.isLarge) return largeState;
        if (storedRow === null && isDeepStrictEqual(body.pointer, pointer)) return { kind: "uncommitted", pointer };
        // A piece written between the two reads is included now.
        return (storedRow === null ? null : await stateWith(storedRow, body.parts)) ?? tryAgain;
      },
    );
  };

  /** Reads the state of a trace id. */
  const readState = async (project: string, trace: string): Promise<TraceState> => {
    const state = await readStateUpTo(project, trace, Number.POSITIVE_INFINITY);
    if (state.kind === "large") throw new Error("A read without a size limit reported a document as too large.");
    return state;
  };

  return {
    read: readState,
    /**
     * Reads the state of a trace id; `large` if its document has more than `maxBytes` bytes. No more than these are
     * read or decompressed.
     */
    readSmall: readStateUpTo,
    /** Reads a trace's current row without the document; null when there is no such trace. */
    locate: async (project: string, trace: string): Promise<StoredRow | null> => {
      let pointer = await readPointer(project, trace);
      return await withRetries(
        immediateRetryPolicy,
        throwContention("A trace's row moved at every attempt to read it."),
        async () => {
          const storedRow = pointer === null ? null : await readRow(project, trace, pointer);
          if (pointer === null || storedRow !== null) return storedRow;
          const pointerBefore = pointer;
          pointer = await readPointer(project, trace);
          return isDeepStrictEqual(pointer, pointerBefore) ? null : tryAgain;
        },
      );
    },
    /**
     * Returns the body hash of the request that created a trace, for idempotency; null if the request was not
     * idempotent.
     */
    bodyHash: async (project: string, trace: string): Promise<string | null> => {
      const item = await bodies.get(pointerKey(project, trace), { attributes: "bh" });
      return v.parse(bodyHashItem, item ?? {}).bh ?? null;
    },
    /** Reads what a trace id rejects; nothing unless its trace was deleted less than 24 hours ago, and none has the id since. */
    rejection: async (project: string, trace: string): Promise<Rejection> => {
      const item = await bodies.get(pointerKey(project, trace), { attributes: "r, rs, i, x" });
      if (item === undefined) return "nothing";
      const { r, i, x } = v.parse(pointerItem, item);
      return rejectionOf(await readPlace(project, trace, { startedAt: r, incarnation: i }, x));
    },
    /** Reads the current pointer of a trace id; null when the id has not been claimed. */
    pointer: readPointer,
    /**
     * Reads the pointer of a trace id, eventually consistent: the result may be seconds old.
     *
     * @returns null when the id has not been claimed.
     */
    pointerSnapshot: async (project: string, trace: string): Promise<PointerSnapshot | null> => {
      const item = await bodies.get(pointerKey(project, trace), { strongly: false });
      if (item === undefined) return null;
      const { r, i, b } = v.parse(pointerItem, item);
      return { pointer: { startedAt: r, incarnation: i }, firstPart: b ?? null };
    },
    /**
     * Reads the pointers of many trace ids, eventually consistent.
     *
     * @returns pointers by trace id; unclaimed ids are omitted.
     */
    pointerSnapshots: (project: string, traces: readonly string[]) => readPointers(project, traces, false),
    /**
     * Reads the trace row that a pointer refers to; null when the row is deleted or belongs to another incarnation of
     * the trace.
     */
    rowAt: readRow,
    /** Reads the rows of many traces, without their documents. @returns rows by trace id; those that do not exist are omitted. */
    locateAll: async (project: string, traces: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> => {
      const keys = [...new Set(traces)].map((trace) => pointerKey(project, trace));
      const items = await batchGet(database, "bodies", keys, { attributes: "pk, r, rs, i" });
      const pointers = items.map((item): [string, Pointer] => {
        const { pk, r, i } = v.parse(keyedPointerItem, item);
        return [traceOfBody(pk).trace, { startedAt: r, incarnation: i }];
      });
      return readRows(project, new Map(pointers));
    },
    /** Reads the trace rows that pointers refer to. @returns rows by trace id; missing rows are omitted. */
    rowsAt: readRows,
    /**
     * Reads traces whose whole document lies in their pointer, in two requests for a hundred traces.
     *
     * @returns functions that unpack the traces, by trace id; other traces are omitted.
     */
    wholeInPointers: async (
      project: string,
      traces: readonly string[],
    ): Promise<ReadonlyMap<string, () => Promise<StoredTrace | null>>> => {
      const snapshots = await readPointers(project, traces, true);
      const rowsRead = await readRows(project, new Map(Array.from(snapshots, ([id, { pointer }]) => [id, pointer])));
      return new Map(
        [...rowsRead].flatMap(([id, storedRow]): [string, () => Promise<StoredTrace | null>][] => {
          const { pieces, incarnation } = storedRow.row;
          const firstPart = snapshots.get(id)?.firstPart;
          const isWhole = pieces.every((piece) => piece.id === incarnation && piece.parts === 1);
          if (firstPart == null || !isWhole) return [];
          const parts = new Map([[partSort(incarnation, 0), firstPart]]);
          const unpack = async (): Promise<StoredTrace | null> => {
            const trace = await assembleTrace(storedRow.row, parts, Number.POSITIVE_INFINITY);
            return trace === null || trace === "large" ? null : storedTraceOf(storedRow, trace);
          };
          return [[id, unpack]];
        }),
      );
    },
    /**
     * Reads a span-id filter; null when it does not exist (any more). Filters are immutable, so an eventually
     * consistent read suffices if it finds the filter.
     */
    filter: async (project: string, trace: string, filter: string): Promise<ReadonlySet<number> | null> => {
      const key = { pk: bodyPartition(project, trace), sk: filterSort(filter) };
      const item = (await bodies.get(key, { strongly: false })) ?? (await bodies.get(key));
      return item === undefined ? null : unpackHashes(v.parse(filterItem, item).b);
    },
    /**
     * Reads a document piece that lies outside of the pointer; null when one of its parts does not exist (any more).
     */
    piece: async (project: string, trace: string, { id, parts }: PieceLocation): Promise<TracePiece | null> => {
      const partsRead = await Promise.all(
        Array.from({ length: parts }, async (_, part) => {
          const item = await bodies.get({ pk: bodyPartition(project, trace), sk: partSort(id, part) });
          return item === undefined ? null : v.parse(partItem, item).b;
        }),
      );
      const bytes = partsRead.filter((part) => part !== null);
      return bytes.length < parts ? null : await pieceOf(bytes);
    },
    /** Reads a trace with its document; null when there is none. */
    get: async (project: string, trace: string): Promise<StoredTrace | null> => {
      const state = await readState(project, trace);
      return state.kind === "stored" ? state : null;
    },
  };
};

export type TraceReader = ReturnType<typeof traceReader>;
