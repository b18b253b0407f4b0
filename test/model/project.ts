import type { Fields, Value } from "./exact-json.ts";
import { textOf } from "./fields.ts";
import { ingest, ingestSpans } from "./ingest.ts";
import { changeTags, patchSpan, patchTrace } from "./patch.ts";
import type { Arrival, ModelTrace } from "./trace.ts";

/** In-memory model of a project by plain rules, with which the service is compared. */
export interface ModelProject {
  readonly traces: readonly ModelTrace[];
  trace(id: string): ModelTrace | undefined;
  ingest(body: Fields, arrival: Arrival): void;
  /** Adds spans to a trace. @returns false if the trace does not exist. */
  appendSpans(trace: string, spans: readonly Value[]): boolean;
  patchTrace(trace: string, body: Fields): boolean;
  /** Patches a span. @returns false if the trace or the span does not exist. */
  patchSpan(trace: string, span: string, body: Fields): boolean;
  /** Changes the tags of traces. @returns the number of distinct existing traces. */
  changeTags(ids: readonly string[], add: readonly string[], remove: readonly string[]): number;
  /** Deletes traces. @returns the number of distinct existing traces. */
  deleteTraces(ids: readonly string[]): number;
  deleteSession(session: string): number;
}

export const modelProject = (): ModelProject => {
  const traces = new Map<string, ModelTrace>();

  const change = (id: string, after: (before: ModelTrace) => ModelTrace): boolean => {
    const before = traces.get(id);
    if (before === undefined) return false;
    traces.set(id, after(before));
    return true;
  };

  const deleteTraces = (ids: readonly string[]): number => ids.filter((id) => traces.delete(id)).length;

  return {
    get traces() {
      return [...traces.values()];
    },
    trace: (id) => traces.get(id),
    ingest: (body, arrival) => {
      const id = textOf(body["trace_id"]).toLowerCase();
      traces.set(id, ingest(traces.get(id), body, arrival));
    },
    appendSpans: (trace, spans) => change(trace, (before) => ({ ...before, spans: ingestSpans(before.spans, spans) })),
    patchTrace: (trace, body) => change(trace, (before) => patchTrace(before, body)),
    patchSpan: (trace, span, body) => {
      const old = traces.get(trace)?.spans.get(span);
      if (old === undefined) return false;
      return change(trace, (before) => ({ ...before, spans: new Map(before.spans).set(span, patchSpan(old, body)) }));
    },
    changeTags: (ids, add, remove) =>
      new Set(ids).values().reduce((sum, id) => {
        const isChanged = add.length + remove.length > 0 && change(id, (before) => changeTags(before, add, remove));
        return sum + (isChanged ? 1 : 0);
      }, 0),
    deleteTraces,
    deleteSession: (session) =>
      deleteTraces([...traces.values()].filter((trace) => trace.session === session).map(({ traceId }) => traceId)),
  };
};
