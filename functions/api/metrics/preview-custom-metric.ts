import { previewCustomMetric } from "../../../lib/contract/metrics/preview.ts";
import { randomId } from "../../../lib/domain/access/identity.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { definitionOf } from "../../../lib/domain/metrics/custom/define.ts";
import type { CustomVersion } from "../../../lib/domain/metrics/custom/definition.ts";
import { hasVersion, metricReference } from "../../../lib/domain/metrics/custom/reference.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { modelId, resolveModel } from "../../../lib/domain/runs/model.ts";
import { checkTraceLimits } from "../../../lib/domain/traces/check-limits.ts";
import { identified } from "../../../lib/domain/traces/identify.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { draftMetrics } from "../../../lib/evaluation/preview/draft-metrics.ts";
import { metricPreview, type PreviewTarget } from "../../../lib/evaluation/preview/preview-metric.ts";
import { unpriced, type Spending } from "../../../lib/evaluation/slices/slice-budget.ts";
import { endpoint, type HandlerRequest } from "../../../lib/http/endpoint.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { metricNotFound, remarksOn } from "../../../lib/http/metrics/custom-metric.ts";
import { previewedReply } from "../../../lib/http/metrics/preview.ts";
import { priceOf } from "../../../lib/judge/prices/price-list.ts";
import { picturesOf, transcriptBudget } from "../../../lib/judge/transcript/transcript-settings.ts";
import { organizationsOfProjects } from "../../../lib/store/access/organizations-of-projects.ts";
import { connect } from "../../../lib/store/database.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { monthlyCeilings } from "../../../lib/wiring/ceilings.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { deployedJudge } from "../../../lib/wiring/judge.ts";
import { environmentTier } from "../../../lib/wiring/judge-tier.ts";
import { judgedMetricOf } from "../../../lib/wiring/judged-custom-metrics.ts";
import { environmentCustomMetrics } from "../../../lib/wiring/custom-metrics.ts";
import { ownPrices } from "../../../lib/wiring/prices.ts";
import { transcriptSettings } from "../../../lib/wiring/transcripts.ts";

type Request = HandlerRequest<typeof previewCustomMetric>;

const database = connect();
const metrics = environmentCustomMetrics(database);
const drafts = draftMetrics();
const judge = deployedJudge(drafts.of);
const [prices, transcripts] = [ownPrices(), transcriptSettings()];
const [defaultModel, defaultTier] = [required(variables.judgeModel), environmentTier()];
const spending: Spending = {
  spend: spendStore(database),
  priceOf: (model) => priceOf(model, prices),
  ceilings: monthlyCeilings(),
  organizationOf: organizationsOfProjects(database),
};
const preview = metricPreview({
  judge,
  traces: traceReader(database),
  spending,
  budgetOf: (model) => transcriptBudget(transcripts, model),
  picturesOf: (model) => picturesOf(transcripts, model),
  now: Date.now,
});

/** The metric that is tried: as it was sent, or one of the project's own. */
const triedMetric = async ({ body: { metric, metric_name }, project }: Request): Promise<CustomVersion> => {
  if (metric && metric_name) throw invalid(["body", "metric_name"], "Send metric or metric_name, not both");
  if (metric) {
    const { name, ...sent } = metric;
    return {
      name,
      version: 1,
      definition: definitionOf(sent, ["body", "metric"]),
      sent,
      createdAt: instantAt(Date.now()),
    };
  }
  if (!metric_name) throw invalid(["body", "metric"], "Send metric, or metric_name");
  const { name, version } = metricReference(metric_name);
  const known = await metrics.get(project.id, name);
  const number = version ?? known?.versions.length ?? 0;
  const isGone = known === null || known.deletedAt !== null || !hasVersion(known, number);
  const found = isGone ? null : await metrics.version(project.id, name, number);
  if (found === null) throw metricNotFound(metric_name);
  return found;
};

const targetsOf = ({ body: { trace, trace_ids: ids }, mint }: Request): readonly PreviewTarget[] => {
  if (trace && ids) throw invalid(["body", "trace"], "Send trace or trace_ids, not both");
  if (ids) return [...new Set(ids)].map((traceId) => ({ kind: "stored", traceId }));
  if (!trace) throw invalid(["body", "trace_ids"], "Send trace_ids, or trace");
  const made = mergeTrace(null, identified(trace, mint));
  checkTraceLimits(made);
  return [{ kind: "sent", trace: made }];
};

export const handler = endpoint(previewCustomMetric, environmentGate(database), async (request) => {
  const { body, project, query } = request;
  const version = await triedMetric(request);
  const { definition } = version;
  if (definition.kind === "fold" || definition.targetType === "SESSION") {
    throw invalid(["body", "metric"], "A preview is of metrics of traces: a session's metric is tried by a run");
  }
  const targets = targetsOf(request);
  const asksJudge = definition.kind === "judge";
  const named = body.model ?? (definition.kind === "judge" ? definition.model : null) ?? defaultModel;
  const resolved = resolveModel(named);
  const model = resolved === null ? named : modelId(resolved);
  const maxCostUsd = body.max_cost_usd ?? null;
  if (asksJudge && !query.dry_run) {
    const readiness = await judge.readiness(model);
    const hindrance = readiness.ready ? unpriced(spending, { maxCostUsd }, model) : readiness.message;
    if (hindrance !== null) throw invalid(["body", "model"], hindrance);
  }
  const { tier } = body;
  // A request that is sent again judges again: what it costs has books of its own.
  const asked = { id: randomId(), projectId: project.id, asksJudge, model, tier: tier ?? defaultTier };
  const items = async function* () {
    const { reference, forget } = drafts.remember(judgedMetricOf(version));
    try {
      const tried = preview({ ...asked, metric: reference, targets, maxCostUsd, isDryRun: query.dry_run });
      for await (const previewed of tried) yield previewedReply(previewed);
    } finally {
      forget();
    }
  };
  const members = { model: asksJudge ? model : null, remarks: remarksOn(definition, version.sent) };
  return new JsonArray(items(), { members, name: "items", byLine: true });
});
