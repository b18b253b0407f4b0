import type { JsonObject } from "../../domain/json.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import type { Judge } from "../../judge/judge.ts";
import type { SessionTrace } from "../../store/sessions/rows.ts";
import { readIfSmall, withLargeDocument } from "../../store/traces/large-documents.ts";
import type { TraceReader } from "../../store/traces/reader.ts";
import { judgedPair, judgementOf } from "./settled-pairs.ts";
import { judgePairs, pairGroups, type Scorer, type TargetWork } from "./target-work.ts";

/** Traces of a session in a judge prompt, at most; the newest are taken. */
const maxTraces = 50;

/** Converts a trace of a session to a span of the session record. */
const asSpan = ({ trace_id, name, status, input, output, metadata, started_at, ended_at }: Trace): Span => ({
  span_id: trace_id,
  parent_span_id: null,
  name,
  kind: "AGENT",
  status: status === "ERROR" ? "ERROR" : "OK",
  input,
  output,
  metadata,
  started_at,
  ended_at,
  model: null,
  token_usage: null,
  error: null,
  completion_start_time: null,
  model_parameters: null,
  cost: null,
});

/** Converts the traces of a session to one trace: a span for each trace, with the spans of the trace below it. */
const sessionRecord = (first: Trace, last: Trace, traces: readonly Trace[]): Trace => ({
  ...last,
  name: "session",
  input: first.input,
  metadata: {},
  started_at: first.started_at,
  spans: traces.flatMap((trace) => [
    asSpan(trace),
    ...trace.spans.map((span) =>
      span.parent_span_id === null ? Object.assign({}, span, { parent_span_id: trace.trace_id }) : span,
    ),
  ]),
});

type SessionTraceReader = Pick<TraceReader, "get" | "readSmall">;

/** Reads a trace of a session; null if it no longer exists. A large trace comes without its spans. */
const readTrace = async (
  traces: SessionTraceReader,
  project: string,
  id: string,
): Promise<{ readonly trace: Trace; readonly hasSpans: boolean } | null> => {
  const smallDocument = await readIfSmall(traces, project, id);
  if (smallDocument !== null) return smallDocument.stored && { trace: smallDocument.stored.trace, hasSpans: true };
  return await withLargeDocument(async () => {
    const stored = await traces.get(project, id);
    return stored === null ? null : { trace: { ...stored.trace, spans: [] }, hasSpans: false };
  });
};

/** Score metadata with the counts of omitted traces and omitted spans; empty if the prompt held the whole session. */
const omissionMetadata = (sessionSize: number, shownTraces: readonly { readonly hasSpans: boolean }[]): JsonObject => {
  const withoutSpans = shownTraces.filter(({ hasSpans }) => !hasSpans).length;
  return {
    ...(sessionSize > shownTraces.length && {
      traces_in_session: sessionSize,
      traces_left_out: sessionSize - shownTraces.length,
    }),
    ...(withoutSpans > 0 && { traces_without_spans: withoutSpans }),
  };
};

/**
 * Judges custom metrics of a session on one record that is built from the traces of the session.
 *
 * @param rows all traces of the session, oldest first.
 */
export const judgeCustomSession = async (
  work: TargetWork,
  pairs: readonly number[],
  rows: readonly SessionTrace[],
  { judge, traces }: { readonly judge: Judge; readonly traces: SessionTraceReader },
  scorer: Scorer,
): Promise<void> => {
  const { order } = work;
  const shownTraces: { readonly trace: Trace; readonly hasSpans: boolean }[] = [];
  for (const { traceId } of rows.slice(-maxTraces)) {
    const shownTrace = await readTrace(traces, order.projectId, traceId);
    if (shownTrace !== null) shownTraces.push(shownTrace);
  }
  const records = shownTraces.map(({ trace }) => trace);
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return;
  const target = judge.target({
    runId: order.id,
    projectId: order.projectId,
    trace: sessionRecord(first, last, records),
    traceVersion: Math.max(...rows.map(({ contentVersion }) => contentVersion)),
    model: order.resolvedModel,
    isModelExplicit: order.model !== null,
    tier: order.tier,
  });
  for (const group of await pairGroups(work, pairs, target)) {
    await work.calls(async () => {
      if (!work.canStart()) return;
      await judgePairs(work, group, target, (pair, metric, verdict) => {
        const { metadata, ...judged } = judgementOf(verdict);
        const judgement = { ...judged, metadata: { ...metadata, ...omissionMetadata(rows.length, shownTraces) } };
        return judgedPair(pair, judgement, scorer(metric, judgement));
      });
    });
  }
};
