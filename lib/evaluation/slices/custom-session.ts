import type { JsonObject } from "../../domain/json.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import type { Judge } from "../../judge/judge.ts";
import type { SessionTrace } from "../../store/sessions/rows.ts";
import { glance, withLarge } from "../../store/traces/large-documents.ts";
import type { TraceReader } from "../../store/traces/reader.ts";
import { judgedPair, judgementOf } from "./settled-pairs.ts";
import { metricOf, type Scorer, type TargetWork } from "./target-work.ts";

/** Traces of a session that a judge is shown at most, the newest. */
const mostTraces = 50;

/** A trace as a step of its session. */
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

/** A session as one record: each trace a step, its spans below it. */
const asOne = (first: Trace, last: Trace, traces: readonly Trace[]): Trace => ({
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

type Reader = Pick<TraceReader, "get" | "readSmall">;

/** A trace of a session; not `whole`: of a large one its own fields alone. Null: it is not there any more. */
const readTrace = async (
  traces: Reader,
  project: string,
  id: string,
): Promise<{ readonly trace: Trace; readonly whole: boolean } | null> => {
  const seen = await glance(traces, project, id);
  if (seen !== null) return seen.stored && { trace: seen.stored.trace, whole: true };
  return await withLarge(async () => {
    const stored = await traces.get(project, id);
    return stored === null ? null : { trace: { ...stored.trace, spans: [] }, whole: false };
  });
};

/** What of a session a judge was not shown, for a score's metadata; nothing where it was shown all of it. */
const notShown = (inSession: number, shown: readonly { readonly whole: boolean }[]): JsonObject => {
  const withoutSpans = shown.filter(({ whole }) => !whole).length;
  return {
    ...(inSession > shown.length && { traces_in_session: inSession, traces_left_out: inSession - shown.length }),
    ...(withoutSpans > 0 && { traces_without_spans: withoutSpans }),
  };
};

/** Judges metrics of a project's own of a session: one record, made of its traces, is asked about. @param rows oldest first. */
export const judgeCustomSession = async (
  work: TargetWork,
  pairs: readonly number[],
  rows: readonly SessionTrace[],
  { judge, traces }: { readonly judge: Judge; readonly traces: Reader },
  scored: Scorer,
): Promise<void> => {
  const { order } = work;
  const shown: { readonly trace: Trace; readonly whole: boolean }[] = [];
  for (const { traceId } of rows.slice(-mostTraces)) {
    const read = await readTrace(traces, order.projectId, traceId);
    if (read !== null) shown.push(read);
  }
  const found = shown.map(({ trace }) => trace);
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return;
  const target = judge.target({
    runId: order.id,
    projectId: order.projectId,
    trace: asOne(first, last, found),
    traceVersion: Math.max(...rows.map(({ contentVersion }) => contentVersion)),
    model: order.resolvedModel,
    isChosen: order.model !== null,
    tier: order.tier,
  });
  for (const pair of pairs) {
    await work.calls(async () => {
      if (!work.mayStart()) return;
      const metric = metricOf(work, pair);
      const verdict = await target.score(metric, work.deadline, work.purse);
      if (verdict.kind === "deferred") return work.defer([pair], verdict);
      const { metadata, ...judged } = judgementOf(verdict);
      const judgement = { ...judged, metadata: { ...metadata, ...notShown(rows.length, shown) } };
      work.settle(judgedPair(pair, judgement, scored(metric, judgement)));
    });
  }
};
