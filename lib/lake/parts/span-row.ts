import type { LakeRow } from "../../domain/lake/tables.ts";
import { countedUsage } from "../../domain/traces/usage/counted-usage.ts";
import type { Json } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { nanoDollars, whole } from "../trace-row.ts";

type SpanRow = LakeRow<"spans">;

const jsonOrNull = (value: Json): string | null => (value === null ? null : JSON.stringify(value));

/** Returns the rows of a trace's spans, behind that of the trace itself. @param trace the trace as it is shown. */
export const lakeSpanRows = function* (trace: Trace): Generator<SpanRow> {
  const ofTrace = { trace_id: trace.trace_id, trace_started_at: trace.started_at };
  yield {
    ...ofTrace,
    span_id: null,
    parent_span_id: null,
    name: trace.name,
    kind: null,
    status: trace.status,
    error: null,
    model: null,
    started_at: trace.started_at,
    ended_at: trace.ended_at,
    completion_start_time: null,
    prompt_tokens: null,
    completion_tokens: null,
    cost_usd: null,
    cost_nano_usd: null,
    input: jsonOrNull(trace.input),
    output: jsonOrNull(trace.output),
    metadata: jsonOrNull(trace.metadata),
    model_parameters: null,
    token_usage: null,
  };
  const usages = countedUsage(trace.spans);
  for (const [index, span] of trace.spans.entries()) {
    const usage = usages[index];
    const cost = usage === undefined || usage.costSource === null ? null : usage.cost;
    yield {
      ...ofTrace,
      span_id: span.span_id,
      parent_span_id: span.parent_span_id,
      name: span.name,
      kind: span.kind,
      status: span.status,
      error: span.error,
      model: span.model,
      started_at: span.started_at,
      ended_at: span.ended_at,
      completion_start_time: span.completion_start_time,
      prompt_tokens: whole(usage?.promptTokens ?? 0),
      completion_tokens: whole(usage?.completionTokens ?? 0),
      cost_usd: cost,
      cost_nano_usd: cost === null ? null : nanoDollars(cost),
      input: jsonOrNull(span.input),
      output: jsonOrNull(span.output),
      metadata: jsonOrNull(span.metadata),
      model_parameters: jsonOrNull(span.model_parameters),
      token_usage: jsonOrNull(span.token_usage),
    };
  }
};
