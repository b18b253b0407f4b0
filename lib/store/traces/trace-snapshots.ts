import { mapConcurrently } from "../../async/concurrency.ts";
import type { PointerSnapshot, StoredRow, TraceReader } from "./reader.ts";

/** Recent state of a trace: its pointer and, if it was read, its row. */
export interface TraceSnapshot extends PointerSnapshot {
  readonly storedRow?: StoredRow | undefined;
}

/** Max pointers per request, and max concurrent requests: a pointer has up to 12 KB. */
const [batchSize, parallelBatches] = [100, 4];

/** Reads snapshots of many traces. @returns snapshots by trace id; ids that have not been claimed are omitted. */
export const readTraceSnapshots = async (
  reader: Pick<TraceReader, "pointerSnapshots" | "rowsAt">,
  project: string,
  traces: readonly string[],
): Promise<ReadonlyMap<string, TraceSnapshot>> => {
  const starts = Array.from({ length: Math.ceil(traces.length / batchSize) }, (_, index) => index * batchSize);
  const snapshots = await mapConcurrently(starts, parallelBatches, async (start) => {
    const pointerSnapshots = await reader.pointerSnapshots(project, traces.slice(start, start + batchSize));
    const pointers = new Map(Array.from(pointerSnapshots, ([trace, { pointer }]) => [trace, pointer]));
    const rows = await reader.rowsAt(project, pointers);
    return Array.from(pointerSnapshots, ([trace, pointerSnapshot]): [string, TraceSnapshot] => [
      trace,
      { ...pointerSnapshot, storedRow: rows.get(trace) },
    ]);
  });
  return new Map(snapshots.flat());
};
