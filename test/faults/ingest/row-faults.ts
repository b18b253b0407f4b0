import { isDeepStrictEqual } from "node:util";
import { rowOf } from "../../../lib/domain/traces/row.ts";
import { spanKeys } from "../../../lib/domain/traces/span-filter-keys.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { spanIdReader } from "../../../lib/store/traces/span-id-filters.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

/** Descriptions of the differences between a trace's row and its document. */
export const rowFaults = async (database: Database, project: string, trace: string): Promise<readonly string[]> => {
  const reader = traceReader(database);
  const [storedTrace, snapshot] = [await reader.get(project, trace), await reader.pointerSnapshot(project, trace)];
  if (storedTrace === null || snapshot === null) return [];
  const { row } = storedTrace;
  const faults: string[] = [];
  if (!isDeepStrictEqual(rowOf(storedTrace.trace, row), row)) faults.push("I22: a row is not what its document says");
  if (row.appendState === null) return faults;
  const bytes = Buffer.byteLength(JSON.stringify({ ...storedTrace.trace, tags: [] }));
  if (row.appendState.facts.bytes + row.appendState.facts.inputOutputBytes < bytes)
    faults.push("I22: a row says too few bytes");
  if (row.appendState.ages.length !== row.pieces.length) faults.push("I22: a row does not know its pieces");
  const spanIds = spanIdReader(reader, project, trace, snapshot.firstPart);
  for (const { span_id: id } of storedTrace.trace.spans) {
    const keys = spanKeys(id);
    const membership = await spanIds.check(row.appendState.spanIds, keys);
    if (membership !== "lost" && !keys.some(membership)) faults.push("I22: a row does not know a span");
  }
  return faults;
};
