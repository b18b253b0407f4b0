import { isDeepStrictEqual } from "node:util";
import { rowOf } from "../../../lib/domain/traces/row.ts";
import { spanMark } from "../../../lib/domain/traces/span-marks.ts";
import type { Database } from "../../../lib/store/database.ts";
import { markSight } from "../../../lib/store/traces/known-marks.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

/** What a trace's row says that its document does not, in words. */
export const rowFaults = async (database: Database, project: string, trace: string): Promise<readonly string[]> => {
  const reader = traceReader(database);
  const [stored, glance] = [await reader.get(project, trace), await reader.glance(project, trace)];
  if (stored === null || glance === null) return [];
  const { row } = stored;
  const faults: string[] = [];
  if (!isDeepStrictEqual(rowOf(stored.trace, row), row)) faults.push("I22: a row is not what its document says");
  if (row.late === null) return faults;
  const bytes = Buffer.byteLength(JSON.stringify({ ...stored.trace, tags: [] }));
  if (row.late.facts.bytes + row.late.facts.edges < bytes) faults.push("I22: a row says too few bytes");
  if (row.late.ages.length !== row.pieces.length) faults.push("I22: a row does not know its pieces");
  const sight = markSight(reader, project, trace, glance.firstPart);
  for (const { span_id: id } of stored.trace.spans) {
    if ((await sight.look(row.late.marks, [spanMark(id)])) === "none") faults.push("I22: a row does not know a span");
  }
  return faults;
};
