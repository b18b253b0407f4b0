import type { LangsmithRun } from "../contract/langsmith/runs.ts";
import { parseInstant, type Instant } from "../domain/instant.ts";
import { canonicalUuid, uuidPattern } from "../domain/text.ts";

/** Place of a run: its trace, its parent and its start; null where the run does not tell. */
export interface RunPlace {
  readonly traceId: string | null;
  readonly parentId: string | null;
  readonly startedAt: Instant | null;
}

/** A run in a dotted order: `20261121T090000000000Z` with six decimals of the second, and the run's id. */
const segmentForm = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{6})Z(.{1,1024})$/su;

const readSegment = (segment: string) => {
  const [, year, month, day, hour, minute, second, fraction, id] = segmentForm.exec(segment) ?? [];
  if (id === undefined) return null;
  const startedAt = parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}Z`);
  return { id: uuidPattern.test(id) ? canonicalUuid(id) : id, startedAt };
};

/** Reads the first, the last but one and the last run of a dotted order, in which there may be a million others. */
const endsOf = (order: string) => {
  const last = order.lastIndexOf(".");
  const parent = order.slice(order.lastIndexOf(".", last - 1) + 1, Math.max(last, 0));
  const root = order.slice(0, order.indexOf(".") === -1 ? undefined : order.indexOf("."));
  return { root: readSegment(root), parent: readSegment(parent), run: readSegment(order.slice(last + 1)) };
};

type OrderedRun = Pick<LangsmithRun, "id" | "trace_id" | "dotted_order">;

const noEnds = { root: null, parent: null, run: null };

/** Reads the dotted order of a run, unless it is about another run or begins with another trace: its parent would be foreign. */
const ownEndsOf = ({ id, trace_id: trace, dotted_order }: OrderedRun): ReturnType<typeof endsOf> => {
  const ends = endsOf(dotted_order ?? "");
  return ends.run?.id !== id || (trace ?? ends.root?.id) !== ends.root?.id ? noEnds : ends;
};

/** True if a run has a dotted order that does not end with the run and its start, or begins with another trace. */
export const hasUnreadOrder = (run: OrderedRun): boolean =>
  (run.dotted_order ?? "") !== "" && (ownEndsOf(run).run?.startedAt ?? null) === null;

/** Reads the place of a run from its fields, else from its dotted order, which lists the run behind its ancestors from the root on. */
export const placeOf = (sent: LangsmithRun): RunPlace => {
  const { trace_id, parent_run_id, start_time } = sent;
  const { root, parent, run } = ownEndsOf(sent);
  return {
    traceId: trace_id ?? root?.id ?? null,
    parentId: parent_run_id ?? parent?.id ?? null,
    startedAt: start_time ?? run?.startedAt ?? null,
  };
};

/** Returns the id of a run's trace, where the run does not tell it of the trace whose root is the run or its parent. */
export const assumedTrace = ({ id }: Pick<LangsmithRun, "id">, { traceId, parentId }: RunPlace): string =>
  traceId ?? parentId ?? id;
