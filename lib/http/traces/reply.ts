import type { SpanReply, TraceListItem, TraceReply, UserReply } from "../../contract/traces/trace.ts";
import type { SucceededScore } from "../../store/scores/newest/included.ts";
import { includedScore } from "./included-score.ts";
import { noProvenance, type TraceProvenance, provenanceOf } from "../../domain/traces/provenance.ts";
import { hasFailedSpan } from "../../domain/traces/filter.ts";
import { latencyOf, unpricedTokensIn, type ListedTrace } from "../../domain/traces/row.ts";
import { unpricedTokens } from "../../domain/traces/facts.ts";
import { isOutsideTrace } from "../../domain/traces/times.ts";
import { costOfSpan } from "../../domain/traces/span-cost.ts";
import { contributionsOf, totalCost, totalTokens } from "../../domain/traces/totals.ts";
import type { TextMatch } from "../../domain/traces/search/matches.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import { maskedCounts } from "../../domain/masking/count.ts";
import { externalIdKey } from "../../domain/traces/telemetry.ts";
import type { UserSummary } from "../../domain/traces/user-summary.ts";

const externalIdReply = ({ metadata }: Pick<Trace, "metadata">): { readonly external_id?: string } => {
  const id = metadata[externalIdKey];
  return typeof id === "string" ? { external_id: id } : {};
};

/** Returns the API representation of a span of a trace, with its cost, latency and time to first token. */
export const spanReply = (trace: Trace, { price, ...span }: Span): SpanReply => ({
  ...span,
  ...externalIdReply(span),
  ...(isOutsideTrace(trace, span) && { clock: "outside" }),
  cost: costOfSpan(price === undefined ? span : { ...span, price }),
  trace_id: trace.trace_id,
  latency_ms: latencyOf(span.started_at, span.ended_at),
  time_to_first_token_ms: latencyOf(span.started_at, span.completion_start_time),
});

type ProvenanceReply = Pick<TraceReply, "prompts" | "experiment" | "experiment_item_id">;

const provenanceReply = ({ prompts, experiment, experimentItem }: TraceProvenance): ProvenanceReply => ({
  ...(prompts.length > 0 && { prompts: [...prompts] }),
  ...(experiment !== null && { experiment }),
  ...(experimentItem !== null && { experiment_item_id: experimentItem }),
});

const byStart = (a: Span, b: Span): number => {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? -1 : 1;
  return a.span_id < b.span_id ? -1 : 1;
};

/** Returns the API representation of a trace with its totals; spans are sorted by start and id. */
export const traceReply = (project: string, trace: Trace): TraceReply => {
  const contributions = contributionsOf(trace.spans);
  const masked = maskedCounts(trace);
  return {
    ...trace,
    project_id: project,
    tags: [...trace.tags],
    spans: trace.spans.toSorted(byStart).map((span) => spanReply(trace, span)),
    total_tokens: totalTokens(contributions),
    total_cost: totalCost(contributions),
    unpriced_tokens: unpricedTokens(trace.spans),
    ...(masked !== null && { masked }),
    ...externalIdReply(trace),
    ...provenanceReply(provenanceOf([trace, ...trace.spans])),
  };
};

/** Returns a trace reply without the input, output, metadata and model parameters of its spans. */
export const traceSkeleton = (trace: TraceReply): TraceReply => ({
  ...trace,
  spans: trace.spans.map((span) => ({ ...span, input: null, output: null, metadata: {}, model_parameters: null })),
});

/** Optional parts of a list item, requested with the query parameter `include`. */
interface ListItemExtras {
  readonly scores?: readonly SucceededScore[] | undefined;
  readonly hasPreview?: boolean;
  /** Where the trace matches a search for words. */
  readonly matches?: readonly TextMatch[] | undefined;
}

/** Returns the list item of a packed trace row. */
export const traceListReply = (
  row: ListedTrace,
  { scores, hasPreview = false, matches }: ListItemExtras = {},
): TraceListItem => ({
  trace_id: row.traceId,
  name: row.name,
  status: row.status,
  started_at: row.startedAt,
  ended_at: row.endedAt,
  ...(row.ending === "silence" && { ended_by: row.ending }),
  session_id: row.sessionId,
  user_id: row.userId,
  tags: [...row.tags],
  environment: row.environment,
  release: row.release,
  latency_ms: row.latency,
  span_count: row.spanCount,
  has_failed_span: hasFailedSpan(row),
  total_tokens: row.totalTokens,
  total_cost: row.totalCost,
  unpriced_tokens: unpricedTokensIn(row),
  ...provenanceReply(row.facts?.provenance ?? noProvenance),
  ...(row.facts?.firstError && { first_error: row.facts.firstError.text }),
  ...(hasPreview && { input_preview: row.facts?.preview ?? null }),
  ...(scores !== undefined && { scores: scores.map(includedScore) }),
  ...(matches !== undefined && { matches: [...matches] }),
});

/** Returns the list item of a traced application's user. */
export const userReply = (user: UserSummary): UserReply => ({
  user_id: user.userId,
  trace_count: user.traceCount,
  first_seen: user.firstSeen,
  last_seen: user.lastSeen,
  error_count: user.errorCount,
  total_latency_ms: user.totalLatency,
  total_tokens: user.totalTokens,
  total_cost: user.totalCost,
  unpriced_tokens: user.unpricedTokens,
});
