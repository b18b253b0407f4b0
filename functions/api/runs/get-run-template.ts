import { getRunTemplate, unsetFilters } from "../../../lib/contract/runs/template.ts";
import { unknownWords } from "../../../lib/domain/runs/checks.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { metricChoice } from "../../../lib/evaluation/start/chosen-metrics.ts";
import { environmentCustomMetrics } from "../../../lib/wiring/custom-metrics.ts";
import { customMetricsOf } from "../../../lib/wiring/judged-custom-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { promptPreview, rubricPreview } from "../../../lib/judge/question/prompt-preview.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { connect } from "../../../lib/store/database.ts";

const database = connect();
const choose = metricChoice(environmentCustomMetrics(database));
const own = customMetricsOf(database);
const model = required(variables.judgeModel);

export const handler = endpoint(getRunTemplate, environmentGate(database), async ({ project, query }) => {
  const built = traceMetrics.find(({ name }) => name === query.metric);
  const choice = built === undefined ? await choose(project.id, [query.metric]) : null;
  const reference = choice?.choice.versionOf(query.metric, "TRACE") ?? null;
  const metric = built ?? (reference === null ? null : await own(project.id, reference));
  if (metric === null) {
    const known = choice?.names.TRACE ?? [];
    throw invalid(["query", "metric"], unknownWords("metric", [query.metric], known), "unknown_metric");
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
