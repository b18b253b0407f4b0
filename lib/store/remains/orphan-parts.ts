import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { TraceRow } from "../../domain/traces/row.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { faultFields, logLine } from "../../log.ts";
import { succeeds, isOutage } from "../failure.ts";
import { isSettled } from "../documents/part-age.ts";
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
import type { FoundItem } from "../deletion/table-scan.ts";

/** What a scan has found of one trace's document, by writers that are long gone. */
interface Remains {
  readonly project: string;
  readonly trace: string;
  readonly items: readonly FoundItem[];
}

const rowItem = v.looseObject({ pk: v.instance(Uint8Array), d: v.instance(Uint8Array) });

/** A row; null of one that cannot be read: a later look, which reads it strongly, tells of it. */
const readableRow = (item: unknown): TraceRow | null => {
  try {
    return unpackRow(item);
  } catch {
    return null;
  }
};

/** Whether a row names a part or a filter, or is the one that a pointer leads to. */
const isNamed = ({ incarnation, pieces, late }: TraceRow, { sk, i }: FoundItem): boolean => {
  if (sk === pointerSort) return i === incarnation;
  const filter = filterOfSort(String(sk));
  if (filter !== null) return late?.marks.filters.some(({ id }) => id === filter) === true;
  const { piece, part } = partOfSort(String(sk));
  return pieces.some(({ id, parts }) => id === piece && part < parts);
};

/** Whether the first part, which lies in the pointer, was folded into another piece. */
const leftFirstPart = ({ incarnation, pieces }: TraceRow): boolean => pieces.every(({ id }) => id !== incarnation);

/**
 * Removes what writers that died have left of traces' documents: parts and pointers that no row names, of which none was
 * written within the last day.
 */
export const orphanParts = (database: Database, now: () => number = Date.now) => {
  const { client, table } = database;
  const TableName = table("bodies");
  const reader = traceReader(database, now);

  const remainsIn = (items: readonly FoundItem[]): readonly Remains[] => {
    const settled = items.filter(({ w }) => w !== undefined && isSettled(w, now()));
    return [...Map.groupBy(settled, ({ pk }) => String(pk))].map(([pk, own]) => {
      const { project, trace } = traceOfBody(pk);
      return { project, trace, items: own };
    });
  };

  /** The rows of those whose pointer was found with them, by the partition of their documents. */
  const rowsOf = async (remains: readonly Remains[]): Promise<ReadonlyMap<string, TraceRow>> => {
    const keys = remains.flatMap(({ project, trace, items }) => {
      const start = items.find(({ sk }) => sk === pointerSort)?.r;
      return start === undefined ? [] : [rowKey(project, trace, start)];
    });
    const found = (await batchGet(database, "rows", keys)).filter((item) => v.is(rowItem, item));
    return new Map(
      found.flatMap((item) => {
        const row = readableRow(item);
        return row === null
          ? []
          : [[bodyPartition(dayOfPartition(Buffer.from(item.pk)).project, row.traceId), row] as const];
      }),
    );
  };

  /** Removes an item unless another incarnation of the trace has taken its place. */
  const remove = ({ pk, sk, i }: FoundItem): Promise<boolean> =>
    succeeds(
      client.send(
        new DeleteCommand({
          TableName,
          Key: { pk, sk },
          ConditionExpression: "i = :i",
          ExpressionAttributeValues: { ":i": i },
        }),
      ),
    );

  const removeFirstPart = ({ pk, sk, i }: FoundItem): Promise<boolean> =>
    succeeds(
      client.send(
        new UpdateCommand({
          TableName,
          Key: { pk, sk },
          UpdateExpression: "REMOVE b",
          ConditionExpression: "i = :i AND attribute_exists(b)",
          ExpressionAttributeValues: { ":i": i },
        }),
      ),
    );

  const tidy = async ({ project, trace, items }: Remains, glance: TraceRow | undefined): Promise<number> => {
    const isWhole = glance !== undefined && items.every((item) => isNamed(glance, item)) && !leftFirstPart(glance);
    if (isWhole) return 0;
    // The scan may lag, and the row may have moved: what is there now decides.
    const there = (await reader.locate(project, trace))?.row;
    let removed = 0;
    for (const item of items) {
      if (there === undefined || !isNamed(there, item)) removed += (await remove(item)) ? 1 : 0;
      else if (item.sk === pointerSort && leftFirstPart(there)) removed += (await removeFirstPart(item)) ? 1 : 0;
    }
    return removed;
  };

  return {
    /**
     * @param items as a scan of the table of documents found them.
     * @returns how many parts and pointers are removed, and of how many traces the row could not be read, so that nothing is.
     */
    remove: async (items: readonly FoundItem[]): Promise<{ readonly removed: number; readonly unreadable: number }> => {
      const remains = remainsIn(items);
      const rows = await rowsOf(remains);
      const done = { removed: 0, unreadable: 0 };
      for (const each of remains) {
        try {
          done.removed += await tidy(each, rows.get(bodyPartition(each.project, each.trace)));
        } catch (error) {
          if (isOutage(error)) throw error;
          done.unreadable += 1;
          logLine("trace_not_readable", { project_id: each.project, trace_id: each.trace, ...faultFields(error) });
        }
      }
      return done;
    },
  };
};
