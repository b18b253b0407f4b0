import { isDeepStrictEqual } from "node:util";
import { GetCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { foldPieces, type TracePiece } from "../../domain/traces/piece.ts";
import type { PieceLocation, TraceRow } from "../../domain/traces/row.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { decodeText, unpackParts } from "../documents/body-codec.ts";
import { again, attempts, contended } from "../attempts.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import { unpackRow } from "./row-codec.ts";
import { storedPiece } from "../documents/pieces.ts";
import { unpackHashes } from "../documents/mark-hashes.ts";
import {
  bodyPartition,
  filterSort,
  firstPartSort,
  isPartSort,
  keyOfRow,
  partSort,
  pointerSort,
  rowKey,
  traceOfBody,
} from "./keys.ts";

/** Where a trace's row lies, and which incarnation of the trace it belongs to. */
export interface Pointer {
  readonly startedAt: string;
  readonly incarnation: string;
}

/** A trace's row, without its document. */
export interface StoredRow {
  readonly row: TraceRow;
  /** Epoch seconds after which the trace is gone; null when it is kept. */
  readonly expiresAt: number | null;
}

export interface StoredTrace extends StoredRow {
  readonly trace: Trace;
}

/** What storage holds under a trace id: nothing, a pointer without a row (a write not committed), or a trace. */
export type TraceState =
  | { readonly kind: "absent" }
  | { readonly kind: "uncommitted"; readonly pointer: Pointer }
  | ({ readonly kind: "stored" } & StoredTrace);

/** A trace whose document is larger than is wanted. */
interface LargeState {
  readonly kind: "large";
}

const large: LargeState = { kind: "large" };

/** What is stored of a trace's document, and whether there is more than was wanted. */
interface Body {
  readonly pointer: Pointer | null;
  readonly parts: ReadonlyMap<string, Uint8Array>;
  readonly isLarge: boolean;
}

const pointerItem = v.object({ r: v.string(), i: v.string(), b: v.optional(v.instance(Uint8Array)) });
const claimedItem = v.object({ pk: v.string(), ...pointerItem.entries });
const hashedItem = v.object({ bh: v.optional(v.string()) });
const partItem = v.object({ sk: v.string(), b: v.instance(Uint8Array) });
const filterItem = v.object({ b: v.instance(Uint8Array) });
const sortedItem = v.object({ sk: v.instance(Uint8Array) });
const rowItem = v.object({ d: v.optional(v.instance(Uint8Array)), i: v.string(), ttl: v.optional(v.number()) });

/** A pointer as it was a moment ago, and the part of the document in it; null when that was folded. */
export interface Glance {
  readonly pointer: Pointer;
  readonly firstPart: Uint8Array | null;
}

/** The piece that some parts are. */
export const pieceOf = async (parts: readonly Uint8Array[]): Promise<TracePiece> => {
  const text = await unpackParts(parts);
  if (text === null) throw new Error("Nothing is larger than everything.");
  return v.parse(storedPiece, decodeText(text));
};

/** Reads single traces, strongly but for what says otherwise. */
export const traceReader = ({ client, table }: Database, now: () => number = Date.now) => {
  /** @param most bytes after which no more is read. */
  const readBody = async (project: string, trace: string, most: number): Promise<Body> => {
    const parts = new Map<string, Uint8Array>();
    let pointer: Pointer | null = null;
    let bytes = 0;
    const keep = (name: string, part: Uint8Array): void => {
      parts.set(name, part);
      bytes += part.length;
    };
    const pages = paginateQuery(
      { client },
      {
        TableName: table("bodies"),
        KeyConditionExpression: "pk = :pk AND sk >= :first",
        ExpressionAttributeValues: { ":pk": bodyPartition(project, trace), ":first": firstPartSort },
        ConsistentRead: true,
      },
    );
    for await (const page of pages) {
      if (bytes > most) break;
      for (const item of page.Items ?? []) {
        if (item["sk"] === pointerSort) {
          const { r, i, b } = v.parse(pointerItem, item);
          pointer = { startedAt: r, incarnation: i };
          if (b !== undefined) keep(partSort(i, 0), b);
        } else if (isPartSort(String(item["sk"]))) {
          const { sk, b } = v.parse(partItem, item);
          keep(sk, b);
        }
      }
    }
    return { pointer, parts, isLarge: bytes > most };
  };

  /** The pointer without the part of the document in it. */
  const readPointer = async (project: string, trace: string): Promise<Pointer | null> => {
    const { Item } = await client.send(
      new GetCommand({
        TableName: table("bodies"),
        Key: { pk: bodyPartition(project, trace), sk: pointerSort },
        ProjectionExpression: "r, i",
        ConsistentRead: true,
      }),
    );
    if (Item === undefined) return null;
    const { r, i } = v.parse(pointerItem, Item);
    return { startedAt: r, incarnation: i };
  };

  /** The row in an item that a pointer led to; null when it is not (any more) the pointer's. */
  const rowIn = (item: Record<string, unknown>, pointer: Pointer): StoredRow | null => {
    const { d, i, ttl } = v.parse(rowItem, item);
    if (d === undefined || i !== pointer.incarnation) return null;
    if (ttl !== undefined && ttl * 1000 <= now()) return null;
    return { row: unpackRow(item), expiresAt: ttl ?? null };
  };

  const readRow = async (project: string, trace: string, pointer: Pointer): Promise<StoredRow | null> => {
    const { Item } = await client.send(
      new GetCommand({
        TableName: table("rows"),
        Key: rowKey(project, trace, pointer.startedAt),
        ConsistentRead: true,
      }),
    );
    return Item === undefined ? null : rowIn(Item, pointer);
  };

  /** @returns null when a part is missing, "large" above `most` bytes of JSON. */
  const assemble = async (
    row: TraceRow,
    parts: ReadonlyMap<string, Uint8Array>,
    most: number,
  ): Promise<Trace | "large" | null> => {
    const texts: Buffer[] = [];
    let left = most;
    for (const location of row.pieces) {
      const names = Array.from({ length: location.parts }, (_, part) => partSort(location.id, part));
      const bytes = names.flatMap((name) => parts.get(name) ?? []);
      if (bytes.length < location.parts) return null;
      const text = await unpackParts(bytes, left);
      if (text === null) return "large";
      left -= text.length;
      texts.push(text);
    }
    const pieces = texts.map((text): TracePiece => v.parse(storedPiece, decodeText(text)));
    return { ...foldPieces(pieces), tags: row.tags };
  };

  /** A read that falls between another writer's steps is made again. */
  const stateUpTo = async (project: string, trace: string, most: number): Promise<TraceState | LargeState> => {
    const look = (): Promise<Body> => readBody(project, trace, most);
    let body = await look();
    const stateWith = async (found: StoredRow, parts: Body["parts"]): Promise<TraceState | LargeState | null> => {
      const document = await assemble(found.row, parts, most);
      if (document === null) return null;
      return document === "large" ? large : { kind: "stored", trace: document, ...found };
    };
    return await attempts(patience.brief, contended("A trace's parts did not match its row."), async () => {
      const { pointer, parts } = body;
      if (body.isLarge) return large;
      if (pointer === null) return { kind: "absent" };
      const found = await readRow(project, trace, pointer);
      const state = found === null ? null : await stateWith(found, parts);
      if (state !== null) return state;
      body = await look();
      if (body.isLarge) return large;
      if (found === null && isDeepStrictEqual(body.pointer, pointer)) return { kind: "uncommitted", pointer };
      // A piece that came between the two reads is there now.
      return (found === null ? null : await stateWith(found, body.parts)) ?? again;
    });
  };

  /** The state of a trace id. */
  const read = async (project: string, trace: string): Promise<TraceState> => {
    const state = await stateUpTo(project, trace, Number.POSITIVE_INFINITY);
    if (state.kind === "large") throw new Error("Nothing is larger than everything.");
    return state;
  };

  return {
    read,
    /** The state of a trace id, unless its document has more bytes of JSON than `most`: no more is read and unpacked of it. */
    readSmall: stateUpTo,
    /** A trace's row as it is now, its document unread; null when there is no such trace. */
    locate: async (project: string, trace: string): Promise<StoredRow | null> => {
      let pointer = await readPointer(project, trace);
      return await attempts(patience.brief, contended("A trace's row moved at every attempt to find it."), async () => {
        const found = pointer === null ? null : await readRow(project, trace, pointer);
        if (pointer === null || found !== null) return found;
        const before = pointer;
        pointer = await readPointer(project, trace);
        return isDeepStrictEqual(pointer, before) ? null : again;
      });
    },
    /** Of the request that made what lies under a trace id; null when it could not come again. */
    bodyHash: async (project: string, trace: string): Promise<string | null> => {
      const { Item } = await client.send(
        new GetCommand({
          TableName: table("bodies"),
          Key: { pk: bodyPartition(project, trace), sk: pointerSort },
          ProjectionExpression: "bh",
          ConsistentRead: true,
        }),
      );
      return v.parse(hashedItem, Item ?? {}).bh ?? null;
    },
    /** The pointer of a trace id as it is now; null when nobody has claimed it. */
    pointer: readPointer,
    /** A glance at the pointer of a trace id; null when it has not been claimed. The answer may be seconds old. */
    glance: async (project: string, trace: string): Promise<Glance | null> => {
      const { Item } = await client.send(
        new GetCommand({
          TableName: table("bodies"),
          Key: { pk: bodyPartition(project, trace), sk: pointerSort },
        }),
      );
      if (Item === undefined) return null;
      const { r, i, b } = v.parse(pointerItem, Item);
      return { pointer: { startedAt: r, incarnation: i }, firstPart: b ?? null };
    },
    /** Glances at many trace ids at once, by id; those that have not been claimed are left out. */
    glances: async (project: string, traces: readonly string[]): Promise<ReadonlyMap<string, Glance>> => {
      const keys = traces.map((trace) => ({ pk: bodyPartition(project, trace), sk: pointerSort }));
      const found = await batchGet({ client, table }, "bodies", keys, { strongly: false });
      return new Map(
        found.map((item) => {
          const { pk, r, i, b } = v.parse(claimedItem, item);
          return [traceOfBody(pk).trace, { pointer: { startedAt: r, incarnation: i }, firstPart: b ?? null }];
        }),
      );
    },
    /** The row that a pointer leads to as it is now; null when it is not there. */
    rowAt: readRow,
    /** The rows that some pointers lead to, by id; what is not there is left out. */
    rowsAt: async (
      project: string,
      pointers: ReadonlyMap<string, Pointer>,
    ): Promise<ReadonlyMap<string, StoredRow>> => {
      const keys = Array.from(pointers, ([trace, { startedAt }]) => rowKey(project, trace, startedAt));
      const items = await batchGet({ client, table }, "rows", keys);
      return new Map(
        items.flatMap((item): [string, StoredRow][] => {
          const { traceId } = keyOfRow(v.parse(sortedItem, item).sk);
          const pointer = pointers.get(traceId);
          const row = pointer === undefined ? null : rowIn(item, pointer);
          return row === null ? [] : [[traceId, row]];
        }),
      );
    },
    /** A filter of marks; null when it is not there (any more). It is never changed: an older answer is the same. */
    filter: async (project: string, trace: string, filter: string): Promise<ReadonlySet<number> | null> => {
      const get = async (ConsistentRead: boolean) => {
        const { Item } = await client.send(
          new GetCommand({
            TableName: table("bodies"),
            Key: { pk: bodyPartition(project, trace), sk: filterSort(filter) },
            ConsistentRead,
          }),
        );
        return Item;
      };
      const item = (await get(false)) ?? (await get(true));
      return item === undefined ? null : unpackHashes(v.parse(filterItem, item).b);
    },
    /** A piece of a document that lies in parts of its own; null when one of them is not there (any more). */
    piece: async (project: string, trace: string, { id, parts }: PieceLocation): Promise<TracePiece | null> => {
      const found = await Promise.all(
        Array.from({ length: parts }, async (_, part) => {
          const { Item } = await client.send(
            new GetCommand({
              TableName: table("bodies"),
              Key: { pk: bodyPartition(project, trace), sk: partSort(id, part) },
              ConsistentRead: true,
            }),
          );
          return Item === undefined ? null : v.parse(partItem, Item).b;
        }),
      );
      const bytes = found.filter((part) => part !== null);
      return bytes.length < parts ? null : await pieceOf(bytes);
    },
    /** A trace as it is now; null when there is none. */
    get: async (project: string, trace: string): Promise<StoredTrace | null> => {
      const state = await read(project, trace);
      return state.kind === "stored" ? state : null;
    },
  };
};

export type TraceReader = ReturnType<typeof traceReader>;
