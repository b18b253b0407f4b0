import { previewCustomMetric } from "../../../lib/contract/metrics/preview.ts";
import { randomId } from "../../../lib/domain/access/identity.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { definitionOf } from "../../../lib/domain/metrics/custom/definition-of.ts";
import type { CustomMetricVersion } from "../../../lib/domain/metrics/custom/definition.ts";
import { readsAs } from "../../../lib/domain/metrics/meaning/reads-as.ts";
import { hasVersion, metricReference } from "../../../lib/domain/metrics/custom/reference.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { modelId, resolveModel } from "../../../lib/domain/runs/model.ts";
import { checkTraceLimits } from "../../../lib/domain/traces/check-limits.ts";
import { withIds } from "../../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { draftMetrics } from "../../../lib/evaluation/preview/draft-metrics.ts";
import { metricPreview, type PreviewTarget } from "../../../lib/evaluation/preview/preview-metric.ts";
import { missingPriceMessage, type SpendingDependencies } from "../../../lib/evaluation/slices/slice-budget.ts";
import { endpoint, type HandlerRequest } from "../../../lib/http/endpoint.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { metricNotFound, lintWarningsOf } from "../../../lib/http/metrics/custom-metric.ts";
import { previewReply } from "../../../lib/http/metrics/preview.ts";
import { priceOf } from "../../../lib/prices/judge-prices.ts";
import { maxPictures, transcriptBudget } from "../../../lib/judge/transcript/transcript.ts";
import { organizationsOfProjects } from "../../../lib/store/access/organizations-of-projects.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { expectedOutputOf } from "../../../lib/store/datasets/expected-output.ts";
import { previewLimits } from "../../../lib/store/limits/preview-limits.ts";
import { settledCost } from "../../../lib/store/spend/settled-cost.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { monthlyCeilings } from "../../../lib/wiring/ceilings.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentModelRules } from "../../../lib/wiring/judge-models.ts";
import { deployedJudge } from "../../../lib/wiring/judge.ts";
import { environmentTier, required, requiredNumber, variables } from "../../../lib/wiring/environment.ts";
import { judgedMetricOf } from "../../../lib/wiring/judging-custom-metrics.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { operatorPrices } from "../../../lib/wiring/prices.ts";
import { transcriptSettings } from "../../../lib/wiring/transcripts.ts";

type Request = HandlerRequest<typeof previewCustomMetric>;

const database = connect();
const metrics = customMetricStore(database);
const drafts = draftMetrics();
const judge = deployedJudge(drafts.find, expectedOutputOf(database));
const [prices, transcripts, refusalOf] = [operatorPrices(), transcriptSettings(), environmentModelRules()];
const [defaultModel, defaultTier] = [required(variables.judgeModel), environmentTier()];
const spending: SpendingDependencies = {
  spend: spendStore(database),
  priceOf: (model) => priceOf(model, prices),
  ceilings: monthlyCeilings(),
  organizationOf: organizationsOfProjects(database),
};
const limits = previewLimits(database, {
  perDay: requiredNumber(variables.maxPreviewsPerDay),
  atATime: requiredNumber(variables.maxConcurrentPreviews),
});
const preview = metricPreview({
  calls: requiredNumber(variables.judgeCalls),
  judge,
  traces: traceReader(database),
  spending,
  addCost: settledCost(database),
  budgetOf: (model) => transcriptBudget(transcripts, model),
  picturesOf: (model) => maxPictures(transcripts, model),
  mayAsk: (model) => refusalOf(model) === null,
  now: Date.now,
});

/** Returns the metric to preview: the definition in the body, or a stored custom metric. @throws Refusal `invalid` or `not-found`. */
const previewedMetric = async ({ body: { metric, metric_name }, project }: Request): Promise<CustomMetricVersion> => {
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
  const storedMetric = await metrics.get(project.id, name);
  const number = version ?? storedMetric?.versions.length ?? 0;
  const isUnavailable = storedMetric === null || storedMetric.deletedAt !== null || !hasVersion(storedMetric, number);
  const storedVersion = isUnavailable ? null : await metrics.version(project.id, name, number);
  if (storedVersion === null) throw metricNotFound(metric_name);
  return storedVersion;
};

const targetsOf = ({ body: { trace, trace_ids: ids }, idFor }: Request): readonly PreviewTarget[] => {
  if (trace && ids) throw invalid(["body", "trace"], "Send trace or trace_ids, not both");
  if (ids) return [...new Set(ids)].map((traceId) => ({ kind: "stored", traceId }));
  if (!trace) throw invalid(["body", "trace_ids"], "Send trace_ids, or trace");
  const sentTrace = mergeTrace(null, withIds(trace, idFor));
  checkTraceLimits(sentTrace);
  return [{ kind: "sent", trace: sentTrace }];
};

export const handler = endpoint(previewCustomMetric, environmentGuard(database), async (request) => {
  const { body, project, query } = request;
  const version = await previewedMetric(request);
  const { definition } = version;
  if (definition.kind === "fold" || definition.targetType === "SESSION") {
    throw invalid(["body", "metric"], "Only metrics of traces can be previewed. Start a run to try a session metric");
  }
  const targets = targetsOf(request);
  const usesJudge = definition.kind === "judge";
  const modelName = body.model ?? (definition.kind === "judge" ? definition.model : null) ?? defaultModel;
  const resolvedModel = resolveModel(modelName);
  const model = resolvedModel === null ? modelName : modelId(resolvedModel);
  const maxCostUsd = body.max_cost_usd ?? null;
  if (usesJudge && !query.dry_run) {
    const readiness = await judge.readiness(model);
    const obstacle = readiness.ready ? missingPriceMessage(spending, { maxCostUsd }, model) : readiness.message;
    if (obstacle !== null) throw invalid(["body", "model"], obstacle);
  }
  const { tier } = body;
  // A dry run and a check ask no judge.
  const end = usesJudge && !query.dry_run ? await limits.begin(project.organizationId) : null;
  // A repeated request calls the judge again, so it gets a spending ledger entry of its own.
  const owner = { projectId: project.id, organizationId: project.organizationId };
  const usesExpectedOutput = definition.kind === "judge" && definition.evidence.includes("expected_output");
  const previewSettings = { id: randomId(), ...owner, usesJudge, usesExpectedOutput, model, tier: tier ?? defaultTier };
  const items = async function* () {
    const { reference, remove: forget } = drafts.add(judgedMetricOf(version));
    try {
      const previews = preview({ ...previewSettings, metric: reference, targets, maxCostUsd, isDryRun: query.dry_run });
      for await (const previewed of previews) yield previewReply(previewed);
    } finally {
      forget();
      await end?.();
    }
  };
  const members = {
    model: usesJudge ? model : null,
    reads_as: readsAs(definition, version.sent),
    remarks: lintWarningsOf(definition, version.sent),
  };
  return new JsonArray(items(), { members, name: "items", byLine: true });
});
