import { sideBySide } from "../../async/side-by-side.ts";
import type { Glance, StoredRow, TraceReader } from "./reader.ts";

/** What was there of a trace a moment ago: its pointer and, where it was read with it, its row. */
export interface SeenTrace extends Glance {
  readonly stored?: StoredRow | undefined;
}

/** Traces looked for in one request of DynamoDB, and such requests at a time: pointers have up to 12 KB each. */
const [batch, batchesAtATime] = [100, 4];

/** Looks for many traces at once. @returns by id those that have been claimed. */
export const lookForTraces = async (
  reader: Pick<TraceReader, "glances" | "rowsAt">,
  project: string,
  traces: readonly string[],
): Promise<ReadonlyMap<string, SeenTrace>> => {
  const starts = Array.from({ length: Math.ceil(traces.length / batch) }, (_, index) => index * batch);
  const seen = await sideBySide(starts, batchesAtATime, async (start) => {
    const glances = await reader.glances(project, traces.slice(start, start + batch));
    const pointers = new Map(Array.from(glances, ([trace, { pointer }]) => [trace, pointer]));
    const rows = await reader.rowsAt(project, pointers);
    return Array.from(glances, ([trace, glance]): [string, SeenTrace] => [
      trace,
      { ...glance, stored: rows.get(trace) },
    ]);
  });
  return new Map(seen.flat());
};
