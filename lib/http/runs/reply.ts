import type { EvalRun } from "../../contract/runs/run.ts";
import { valuesOfFields } from "../../domain/fields.ts";
import { cascadeFields } from "../../domain/runs/cascade.ts";
import { unreportedCost, type Run } from "../../domain/runs/run.ts";

/** Returns the cost of a run by metric; null if a price is unknown. */
const costByMetric = ({ order: { metrics }, usage: { cost, metricCosts } }: Run): Record<string, number> | null =>
  cost === null ? null : Object.fromEntries(metrics.map((metric, index) => [metric, metricCosts?.[index] ?? 0]));

/** Returns the API representation of an eval run. */
export const runReply = (run: Run): EvalRun => ({
  id: run.order.id,
  project_id: run.order.projectId,
  name: run.order.name,
  status: run.status,
  target_type: run.order.targetType,
  metric_names: [...run.order.metrics],
  filters: { ...run.order.filters },
  sampling_rate: run.order.samplingRate,
  model: run.order.judge === undefined ? run.order.model : null,
  resolved_model: run.order.resolvedModel,
  judge: run.order.judge === undefined ? null : valuesOfFields(cascadeFields, run.order.judge),
  monitor_id: run.order.monitorId,
  retry_of: run.order.retryOf,
  max_cost_usd: run.order.maxCostUsd,
  tier: run.order.tier,
  total_traces: run.order.total,
  total_targets: run.order.total,
  evaluated_count: run.evaluated,
  failed_count: run.failed,
  escalated_count: run.usage.escalated ?? 0,
  judge_usage: {
    calls: run.usage.calls,
    prompt_tokens: run.usage.promptTokens,
    completion_tokens: run.usage.completionTokens,
    cached_tokens: run.usage.cachedTokens,
    cost_usd: run.usage.cost,
    unreported_usd: unreportedCost(run.usage),
  },
  cost_by_metric: costByMetric(run),
  waiting_for: run.waitingFor,
  error_message: run.errorMessage,
  created_at: run.order.createdAt,
  completed_at: run.completedAt,
});
