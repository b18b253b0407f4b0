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

/** A trace of a session; of a large one its own fields alone. Null: it is not there any more. */
const readTrace = async (traces: Reader, project: string, id: string): Promise<Trace | null> => {
  const seen = await glance(traces, project, id);
  if (seen !== null) return seen.stored?.trace ?? null;
  return await withLarge(async () => {
    const stored = await traces.get(project, id);
    return stored === null ? null : { ...stored.trace, spans: [] };
  });
};

/** Judges metrics of a project's own of a session: one record, made of its traces, is asked about. @param rows oldest first. */
export const judgeOwnSession = async (
  work: TargetWork,
  pairs: readonly number[],
  rows: readonly SessionTrace[],
  { judge, traces }: { readonly judge: Judge; readonly traces: Reader },
  scored: Scorer,
): Promise<void> => {
  const { order } = work;
  const found: Trace[] = [];
  for (const { traceId } of rows.slice(-mostTraces)) {
    const trace = await readTrace(traces, order.projectId, traceId);
    if (trace !== null) found.push(trace);
  }
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
      const judgement = judgementOf(verdict);
      work.settle(judgedPair(pair, judgement, scored(metric, judgement)));
    });
  }
};
