import { getRunTemplate, unsetFilters } from "../../../lib/contract/runs/template.ts";
import { unknownNamesMessage } from "../../../lib/domain/runs/checks.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { monitorMetrics } from "../../../lib/evaluation/start/resolve-metrics.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { customMetricFinder } from "../../../lib/wiring/judging-custom-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { promptPreview, rubricPreview } from "../../../lib/judge/prompt-preview.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { connect } from "../../../lib/dynamo/database.ts";

const database = connect();
const metricChoiceOf = monitorMetrics(customMetricStore(database));
const judgedMetric = customMetricFinder(database);
const model = required(variables.judgeModel);

export const handler = endpoint(getRunTemplate, environmentGuard(database), async ({ project, query }) => {
  const builtInMetric = traceMetrics.find(({ name }) => name === query.metric);
  const choice = builtInMetric === undefined ? await metricChoiceOf(project.id, [query.metric]) : null;
  const reference = choice?.custom.versionOf(query.metric, "TRACE") ?? null;
  const metric = builtInMetric ?? (reference === null ? null : await judgedMetric(project.id, reference));
  if (metric === null) {
    const knownNames = choice?.names.TRACE ?? [];
    throw invalid(["query", "metric"], unknownNamesMessage("metric", [query.metric], knownNames), "unknown_metric");
  }
  const name = reference ?? metric.name;
  const { description, category, threshold } = metric;
  return {
    metric: {
      name,
      description,
      category,
      default_threshold: threshold,
      prompt_preview: promptPreview(metric),
      rubric: rubricPreview(metric),
    },
    filters: unsetFilters,
    sampling_rate: 1,
    model,
  };
});
