import type { LangsmithRun } from "../contract/langsmith/runs.ts";
import { parseInstant, type Instant } from "../domain/instant.ts";
import { canonicalUuid } from "../domain/text.ts";

/** Place of a run: its trace, its parent and its start; null where the run does not tell. */
export interface RunPlace {
  readonly traceId: string | null;
  readonly parentId: string | null;
  readonly startedAt: Instant | null;
}

/** A run in a dotted order: `20261121T090000000000Z` with six decimals of the second, and the run's id. */
const segmentForm = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{6})Z([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/iu;

const readSegment = (segment: string | undefined) => {
  const [, year, month, day, hour, minute, second, fraction, id] = segmentForm.exec(segment ?? "") ?? [];
  if (id === undefined) return null;
  const startedAt = parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}Z`);
  return { id: canonicalUuid(id), startedAt };
};

/** Reads the place of a run from its fields, else from its dotted order, which lists the run behind its ancestors from the root on. */
export const placeOf = ({ trace_id, parent_run_id, start_time, dotted_order }: LangsmithRun): RunPlace => {
  const segments = dotted_order?.split(".") ?? [];
  return {
    traceId: trace_id ?? readSegment(segments[0])?.id ?? null,
    parentId: parent_run_id ?? readSegment(segments.at(-2))?.id ?? null,
    startedAt: start_time ?? readSegment(segments.at(-1))?.startedAt ?? null,
  };
};
