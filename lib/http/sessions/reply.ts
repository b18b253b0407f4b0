import type { SessionSummary } from "../../contract/sessions/sessions.ts";
import type { Session } from "../../domain/sessions/session.ts";
import type { SucceededScore } from "../../store/scores/newest/included.ts";
import { includedScore } from "../traces/included-score.ts";

/** Returns the API representation of a session. */
export const sessionReply = (session: Session): SessionSummary => ({
  session_id: session.sessionId,
  trace_count: session.traceCount,
  first_trace_at: session.firstTraceAt,
  last_trace_at: session.lastTraceAt,
  total_latency_ms: session.totalLatency,
  has_error: session.hasError,
  has_failed_span: session.hasFailedSpan,
  user_id: session.userId,
  tags: [...session.tags],
  total_span_count: session.spanCount,
  total_tokens: session.totalTokens,
  total_cost: session.totalCost,
  unpriced_tokens: session.unpricedTokens,
});

/** Returns the list item of a session. @param scores scores to include; undefined if not requested. */
export const listedSession = (session: Session, scores?: readonly SucceededScore[]): SessionSummary => ({
  ...sessionReply(session),
  ...(scores !== undefined && { scores: scores.map(includedScore) }),
});
