import { uuidInProject } from "../../domain/access/identity.ts";
import { traceDeletedDetail } from "../../domain/traces/deleted-trace.ts";
import type { Span } from "../../domain/traces/trace.ts";
import { assumedTrace } from "../../langsmith/run-place.ts";
import type { PlacedRun } from "../../langsmith/run-span.ts";
import { runLoc, type ItemFlaw, type SentRun } from "../../langsmith/sent-runs.ts";
import { maxLookups, notRead, wasDeleted, type StoredRuns } from "./stored-runs.ts";

/** Types of runs by the kinds of their spans. */
const runTypes: Partial<Record<Span["kind"], string>> = {
  LLM: "llm",
  CHAIN: "chain",
  TOOL: "tool",
  RETRIEVER: "retriever",
  EMBEDDING: "embedding",
};

const flawOf = (sent: SentRun, message: string): ItemFlaw => ({ loc: runLoc(sent), message });

const missing = (sent: SentRun, message: string): ItemFlaw => ({ ...flawOf(sent, message), isMissing: true });

const tooManyLookups =
  `A request may look up ${maxLookups} traces with 32 MiB in all, and this run is in another one: ` +
  "send trace_id, dotted_order, name and run_type.";

const noStart = "A new run has a start_time or a dotted_order.";
const unreadOrder = "The dotted_order has no readable time of the run: send start_time, or 20261121T090000000000Z<id>.";

/** Returns a run that tells its place itself, as those of the SDKs do; null for others. */
const selfPlaced = ({ run, otherFields, isNew, place }: SentRun): PlacedRun | null => {
  const { parentId, startedAt } = place;
  const traceId = place.traceId ?? (isNew && parentId === null ? run.id : null);
  const name = run.name ?? (isNew ? "unnamed" : null);
  const hasType = isNew || (run.run_type ?? null) !== null;
  return traceId === null || startedAt === null || name === null || !hasType
    ? null
    : { run: { ...run, name }, otherFields, traceId, parentId, startedAt };
};

/** Places a new run in the trace of its parent. @param trace id of that trace; null if there is none. */
const placedByParent = (sent: SentRun, trace: string | typeof notRead | null): PlacedRun | ItemFlaw => {
  const { run, otherFields, place } = sent;
  const { parentId, startedAt } = place;
  if (startedAt === null) return flawOf(sent, run.dotted_order ? unreadOrder : noStart);
  if (trace === notRead) return flawOf(sent, tooManyLookups);
  if (trace === null)
    return missing(sent, "There is no trace with the id of the run's parent: send trace_id or dotted_order.");
  return { run: { ...run, name: run.name ?? "unnamed" }, otherFields, traceId: trace, parentId, startedAt };
};

/** Completes a change of a run from its stored span. */
const completed = (
  sent: SentRun,
  trace: string,
  span: Span | typeof notRead | typeof wasDeleted | undefined,
): PlacedRun | ItemFlaw => {
  const { run, otherFields, place } = sent;
  if (span === notRead) return flawOf(sent, tooManyLookups);
  if (span === wasDeleted) return missing(sent, traceDeletedDetail);
  if (span === undefined) {
    const absent = Object.entries({
      "trace_id or dotted_order": place.traceId,
      "start_time or dotted_order": place.startedAt,
      name: run.name,
      run_type: run.run_type,
    }).flatMap(([name, value]) => ((value ?? null) === null ? [name] : []));
    return missing(
      sent,
      `The trace ${trace} has no such run: create it first, or send ${absent.join(", ")} with its change.`,
    );
  }
  return {
    run: { ...run, name: run.name ?? span.name, run_type: run.run_type ?? runTypes[span.kind] },
    otherFields,
    traceId: trace,
    parentId: place.parentId ?? span.parent_span_id,
    startedAt: place.startedAt ?? span.started_at,
  };
};

/**
 * Finds the places of a project's runs. A change of a run without place, name or type is completed from the stored run; a new run with
 * a parent and without a trace belongs to the trace of its parent. A trace is read once for all runs in it.
 */
export const placeRuns = async (
  stored: StoredRuns,
  project: string,
  runs: readonly SentRun[],
): Promise<readonly (PlacedRun | ItemFlaw)[]> => {
  const placed = new Map<string, PlacedRun>();
  const flaws: ItemFlaw[] = [];
  const uuidOf = (id: string): string => uuidInProject(project, id);

  const add = (outcome: PlacedRun | ItemFlaw): void => {
    if ("message" in outcome) flaws.push(outcome);
    else placed.set(outcome.run.id, outcome);
  };

  /** Returns the id of the trace whose root, or one of whose runs in the request, has an id. */
  const traceOfParent = async (id: string): Promise<string | typeof notRead | null> => {
    const parent = placed.get(id);
    if (parent !== undefined) return parent.traceId;
    const exists = await stored.hasTrace(project, uuidOf(id));
    if (exists === notRead) return notRead;
    return exists ? id : null;
  };

  const unplaced = runs.filter((sent) => {
    const self = selfPlaced(sent);
    if (self !== null) add(self);
    return self === null;
  });
  for (const [trace, group] of Map.groupBy(unplaced, ({ run, place }) => assumedTrace(run, place))) {
    const [changes, newRuns] = [group.filter(({ isNew }) => !isNew), group.filter(({ isNew }) => isNew)];
    if (newRuns.length > 0) {
      const parentTrace = await traceOfParent(trace);
      for (const sent of newRuns) add(placedByParent(sent, parentTrace));
    }
    if (changes.length > 0) {
      const spans = await stored.spansOf(project, uuidOf(trace), new Set(changes.map(({ run }) => uuidOf(run.id))));
      for (const sent of changes)
        add(completed(sent, trace, typeof spans === "symbol" ? spans : spans.get(uuidOf(sent.run.id))));
    }
  }
  return [...placed.values(), ...flaws];
};
