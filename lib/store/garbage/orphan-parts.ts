import * as v from "valibot";
import type { TraceRow } from "../../domain/traces/row.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { faultFields, logLine } from "../../log.ts";
import { succeeds, isOutage } from "../../dynamo/failure.ts";
import { hasWriterEnded } from "../documents/pieces.ts";
import { unpackRow } from "../traces/row-codec.ts";
import {
  bodyPartition,
  dayOfPartition,
  filterOfSort,
  partOfSort,
  pointerSort,
  rowKey,
  traceOfBody,
} from "../traces/keys.ts";
import { traceReader } from "../traces/reader.ts";
import type { ScannedItem } from "../deletion/table-scan.ts";

/** Scanned items of one trace's document whose writers have ended. */
interface DocumentItems {
  readonly project: string;
  readonly trace: string;
  readonly items: readonly ScannedItem[];
}

const rowItem = v.looseObject({ pk: v.instance(Uint8Array), d: v.instance(Uint8Array) });

/** Unpacks a row; null if it is unreadable: the later strong read of the row reports it. */
const readableRow = (item: unknown): TraceRow | null => {
  try {
    return unpackRow(item);
  } catch {
    return null;
  }
};

/** True if a row refers to a document part or a span-id filter, or a pointer refers to the row. */
const isReferenced = ({ incarnation, pieces, appendState }: TraceRow, { sk, i }: ScannedItem): boolean => {
  if (sk === pointerSort) return i === incarnation;
  const filter = filterOfSort(String(sk));
  if (filter !== null) return appendState?.spanIds.filters.some(({ id }) => id === filter) === true;
  const { piece, part } = partOfSort(String(sk));
  return pieces.some(({ id, parts }) => id === piece && part < parts);
};

/** True if the document's first part, which lies in the pointer, was merged into another piece. */
const isFirstPartMerged = ({ incarnation, pieces }: TraceRow): boolean => pieces.every(({ id }) => id !== incarnation);

/**
 * Removes parts and pointers of documents that no row refers to, left by writers that died. Only items written more
 * than a day ago are removed, and no pointer of a deleted trace that still rejects telemetry.
 */
export const orphanParts = (database: Database, now: () => number = Date.now) => {
  const bodies = itemsOf(database, "bodies");
  const reader = traceReader(database, now);

  const documentsOf = (items: readonly ScannedItem[]): readonly DocumentItems[] => {
    const abandonedItems = items.filter(({ w }) => w !== undefined && hasWriterEnded(w, now()));
    return [...Map.groupBy(abandonedItems, ({ pk }) => String(pk))].map(([pk, traceItems]) => {
      const { project, trace } = traceOfBody(pk);
      return { project, trace, items: traceItems };
    });
  };

  /**
   * Reads the rows of the documents whose pointer is among the scanned items.
   *
   * @returns rows by the partition of their documents.
   */
  const rowsOf = async (documents: readonly DocumentItems[]): Promise<ReadonlyMap<string, TraceRow>> => {
    const keys = documents.flatMap(({ project, trace, items }) => {
      const { r, rs, i: incarnation } = items.find(({ sk }) => sk === pointerSort) ?? {};
      const startedAt = r ?? rs;
      return startedAt === undefined || incarnation === undefined
        ? []
        : [rowKey(project, trace, { startedAt, incarnation })];
    });
    const rowItems = (await batchGet(database, "rows", keys)).filter((item) => v.is(rowItem, item));
    return new Map(
      rowItems.flatMap((item) => {
        const row = readableRow(item);
        return row === null
          ? []
          : [[bodyPartition(dayOfPartition(Buffer.from(item.pk)).project, row.traceId), row] as const];
      }),
    );
  };

  /** Removes an item unless another incarnation of the trace has replaced it. */
  const remove = ({ pk, sk, i }: ScannedItem): Promise<boolean> =>
    succeeds(bodies.remove({ pk, sk }, { when: "i = :i", values: { ":i": i } }));

  const removeFirstPart = ({ pk, sk, i }: ScannedItem): Promise<boolean> =>
    succeeds(bodies.update({ pk, sk }, "REMOVE b", { when: "i = :i AND attribute_exists(b)", values: { ":i": i } }));

  const removeOrphans = async (
    { project, trace, items }: DocumentItems,
    scannedRow: TraceRow | undefined,
  ): Promise<number> => {
    const isComplete =
      scannedRow !== undefined &&
      items.every((item) => isReferenced(scannedRow, item)) &&
      !isFirstPartMerged(scannedRow);
    if (isComplete) return 0;
    // The scan may lag and the row may have moved: a strong read of the row decides.
    const currentRow = (await reader.locate(project, trace))?.row;
    let removed = 0;
    for (const item of items) {
      const isTombstone = item.sk === pointerSort && currentRow === undefined;
      if (isTombstone && (await reader.rejection(project, trace)) !== "nothing") continue;
      if (currentRow === undefined || !isReferenced(currentRow, item)) removed += (await remove(item)) ? 1 : 0;
      else if (item.sk === pointerSort && isFirstPartMerged(currentRow))
        removed += (await removeFirstPart(item)) ? 1 : 0;
    }
    return removed;
  };

  return {
    /**
     * Removes orphans among scanned items.
     *
     * @param items items from a scan of the table `bodies`.
     * @returns the number of removed parts and pointers, and of traces whose row is unreadable, of which nothing was
     *   removed.
     */
    remove: async (
      items: readonly ScannedItem[],
    ): Promise<{ readonly removed: number; readonly unreadable: number }> => {
      const documents = documentsOf(items);
      const rows = await rowsOf(documents);
      const result = { removed: 0, unreadable: 0 };
      for (const each of documents) {
        try {
          result.removed += await removeOrphans(each, rows.get(bodyPartition(each.project, each.trace)));
        } catch (error) {
          if (isOutage(error)) throw error;
          result.unreadable += 1;
          logLine("trace_not_readable", { project_id: each.project, trace_id: each.trace, ...faultFields(error) });
        }
      }
      return result;
    },
  };
};
