import type { PreviewItem } from "../../contract/metrics/preview.ts";
import type { PreviewedTrace } from "../../evaluation/preview/preview-metric.ts";
import { alternativeReply } from "../../evaluation/start/estimate-run.ts";
import { unreportedCost } from "../../domain/runs/run.ts";

/** Returns the preview result of one trace: score, judge messages, usage and cost. */
export const previewReply = (previewed: PreviewedTrace): PreviewItem => {
  const { score, usage } = previewed;
  return {
    trace_id: previewed.traceId,
    found: previewed.isFound,
    score:
      score === null
        ? null
        : {
            value: score.value,
            status: score.status,
            reason: score.reason,
            metadata: score.metadata,
            judge: score.judge,
            applicable: score.applicable,
            inapplicable_code: score.inapplicable_code,
            evidence: score.evidence === null ? null : [...score.evidence],
            evidence_dropped: score.evidence_dropped,
          },
    messages: previewed.messages.map(({ system, user }) => ({ system, user })),
    usage: {
      calls: usage.calls,
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      cached_tokens: usage.cachedTokens,
      cost_usd: usage.cost,
      unreported_usd: unreportedCost(usage),
    },
    estimated_cost_usd: previewed.estimatedCost,
    alternatives: previewed.alternatives.map(alternativeReply),
  };
};
