import { mapConcurrently } from "../../async/concurrency.ts";
import type { Span } from "../../domain/traces/trace.ts";
import type { PlacedRun } from "../../langsmith/run-span.ts";
import type { ItemFlaw, SentRun } from "../../langsmith/sent-runs.ts";
import type { TraceReader } from "../../store/traces/reader.ts";

/** Maximum number of traces read concurrently. */
const parallel = 5;

/** Types of runs by the kinds of their spans. */
const runTypes: Partial<Record<Span["kind"], string>> = {
  LLM: "llm",
  CHAIN: "chain",
  TOOL: "tool",
  RETRIEVER: "retriever",
  EMBEDDING: "embedding",
};

const flawOf = ({ run: { id } }: SentRun, message: string): ItemFlaw => ({ loc: ["runs", id], message });

/** Returns a run that tells its place itself, as those of the SDKs do; null for others. */
const selfPlaced = ({ run, isNew, place }: SentRun): PlacedRun | null => {
  const { parentId, startedAt } = place;
  const traceId = place.traceId ?? (isNew && parentId === null ? run.id : null);
  const name = run.name ?? (isNew ? "unnamed" : null);
  const hasType = isNew || (run.run_type ?? null) !== null;
  return traceId === null || startedAt === null || name === null || !hasType
    ? null
    : { run: { ...run, name }, traceId, parentId, startedAt };
};

/**
 * Returns a function that finds the places of runs. A change of a run without place, name or type is completed from the stored run; a
 * new run with a parent and without a trace belongs to the trace of its parent.
 */
export const runPlacer = (reader: Pick<TraceReader, "get">) => {
  const placeByTrace = async (project: string, sent: SentRun): Promise<PlacedRun | ItemFlaw> => {
    const { run, isNew, place } = sent;
    const { parentId, startedAt } = place;
    if (isNew && startedAt === null) return flawOf(sent, "A new run has a start_time or a dotted_order.");
    const traceId = place.traceId ?? (isNew ? parentId : null) ?? run.id;
    const stored = await reader.get(project, traceId);
    if (isNew && startedAt !== null)
      return stored === null
        ? {
            ...flawOf(sent, "There is no trace with the id of the run's parent: send trace_id or dotted_order."),
            isMissing: true,
          }
        : { run: { ...run, name: run.name ?? "unnamed" }, traceId, parentId, startedAt };
    const span = stored?.trace.spans.find(({ span_id }) => span_id === run.id);
    if (span === undefined)
      return {
        ...flawOf(sent, `The trace ${traceId} has no such run: create it first, and send trace_id or dotted_order.`),
        isMissing: true,
      };
    return {
      run: { ...run, name: run.name ?? span.name, run_type: run.run_type ?? runTypes[span.kind] },
      traceId,
      parentId: parentId ?? span.parent_span_id,
      startedAt: startedAt ?? span.started_at,
    };
  };

  return (project: string, runs: readonly SentRun[]): Promise<readonly (PlacedRun | ItemFlaw)[]> =>
    mapConcurrently(runs, parallel, async (sent) => selfPlaced(sent) ?? placeByTrace(project, sent));
};
