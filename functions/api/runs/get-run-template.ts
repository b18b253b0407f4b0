import { getRunTemplate, unsetFilters } from "../../../lib/contract/runs/template.ts";
import { unknownWords } from "../../../lib/domain/runs/checks.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { promptPreview, rubricPreview } from "../../../lib/judge/question/prompt-preview.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { connect } from "../../../lib/store/database.ts";

const model = required(variables.judgeModel);

export const handler = endpoint(getRunTemplate, environmentGate(connect()), async ({ query }) => {
  const metric = traceMetrics.find(({ name }) => name === query.metric);
  if (metric === undefined) {
    const known = traceMetrics.map(({ name }) => name);
    throw invalid(["query", "metric"], unknownWords("metric", [query.metric], known), "unknown_metric");
  }
  const { name, description, category, threshold } = metric;
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
