import type { Fields, Value } from "./exact-json.ts";
import { textOf } from "./fields.ts";
import { ingest, ingestSpans } from "./ingest.ts";
import { changeTags, patchSpan, patchTrace } from "./patch.ts";
import type { Arrival, ModelTrace } from "./trace.ts";

/** What a project holds, kept by plain rules in memory: what the service is compared with. */
export interface ModelProject {
  readonly traces: readonly ModelTrace[];
  trace(id: string): ModelTrace | undefined;
  ingest(body: Fields, arrival: Arrival): void;
  /** False when there is no such trace. */
  appendSpans(trace: string, spans: readonly Value[]): boolean;
  patchTrace(trace: string, body: Fields): boolean;
  /** False when there is no such trace or span. */
  patchSpan(trace: string, span: string, body: Fields): boolean;
  /** How many of the traces there are, each once. */
  changeTags(ids: readonly string[], add: readonly string[], remove: readonly string[]): number;
  /** How many were there, each once. */
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
        const found = add.length + remove.length > 0 && change(id, (before) => changeTags(before, add, remove));
        return sum + (found ? 1 : 0);
      }, 0),
    deleteTraces,
    deleteSession: (session) =>
      deleteTraces([...traces.values()].filter((trace) => trace.session === session).map(({ traceId }) => traceId)),
  };
};
