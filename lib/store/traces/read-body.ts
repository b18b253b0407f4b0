import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { bodyPartition, firstPartSort, isPartSort, partitionIn, partSort, pointerSort } from "./keys.ts";

/** Start of a trace, which locates its row, and the trace's incarnation. */
export interface Pointer {
  readonly startedAt: string;
  readonly incarnation: string;
}

/** Stored parts of a trace's document; `isLarge` if reading stopped at the requested size. */
export interface Body {
  readonly pointer: Pointer | null;
  /** Time until which the pointer of a deleted trace rejects telemetry, epoch seconds; absent if it is not known as deleted. */
  readonly deletedUntil?: number | undefined;
  readonly parts: ReadonlyMap<string, Uint8Array>;
  readonly isLarge: boolean;
}

/**
 * Returns the name of a pointer's attribute with the start of the row. If the row lies outside of its day's first
 * partition, the name is one that versions which do not look there cannot read: they fail, instead of taking the trace
 * for an abandoned claim.
 */
export const startAttribute = (incarnation: string): "r" | "rs" => (partitionIn(incarnation) === 0 ? "r" : "rs");

/** Item of a pointer: the start of the row, the incarnation, the document's first part, and the time in that of a deleted trace. */
const pointerFields = { i: v.string(), b: v.optional(v.instance(Uint8Array)), x: v.optional(v.number()) };
export const pointerItem = v.union([
  v.object({ ...pointerFields, r: v.string() }),
  v.pipe(
    v.object({ ...pointerFields, rs: v.string() }),
    v.transform(({ rs, ...item }) => ({ ...item, r: rs })),
  ),
]);

/** Item of a part of a document. */
export const partItem = v.object({ sk: v.string(), b: v.instance(Uint8Array) });

/**
 * Returns a function that reads a trace's pointer and document parts, strongly unless asked otherwise.
 *
 * @param maxBytes compressed bytes after which reading stops.
 */
export const bodyReader = (database: Database) => {
  const bodies = itemsOf(database, "bodies");
  return async (project: string, trace: string, maxBytes: number, strongly = true): Promise<Body> => {
    const parts = new Map<string, Uint8Array>();
    let pointer: Pointer | null = null;
    let deletedUntil: number | undefined;
    let bytes = 0;
    const addPart = (name: string, part: Uint8Array): void => {
      parts.set(name, part);
      bytes += part.length;
    };
    const pages = bodies.pages({
      where: "pk = :pk AND sk >= :first",
      values: { ":pk": bodyPartition(project, trace), ":first": firstPartSort },
      strongly,
    });
    for await (const { items } of pages) {
      if (bytes > maxBytes) break;
      for (const item of items) {
        if (item["sk"] === pointerSort) {
          const { r, i, b, x } = v.parse(pointerItem, item);
          pointer = { startedAt: r, incarnation: i };
          deletedUntil = x;
          if (b !== undefined) addPart(partSort(i, 0), b);
        } else if (isPartSort(String(item["sk"]))) {
          const { sk, b } = v.parse(partItem, item);
          addPart(sk, b);
        }
      }
    }
    return { pointer, deletedUntil, parts, isLarge: bytes > maxBytes };
  };
};
