import type { TargetType } from "../domain/runs/run.ts";
import { fullModelName } from "../domain/runs/model.ts";
import type { ServiceTier } from "../domain/runs/tier.ts";
import type { JudgeCascade } from "../domain/runs/cascade.ts";
import { environmentTier, required, variables } from "./environment.ts";
import { environmentModelRules } from "./judge-models.ts";
import { operatorPrices } from "./prices.ts";
import { maxPictures, transcriptBudget } from "../judge/transcript/transcript.ts";
import { transcriptSettings } from "./transcripts.ts";
import { priceOf } from "../prices/judge-prices.ts";
import { tierShare } from "../judge/prices/listed-judges.ts";
import { judgedCatalogue } from "../metrics/trace/catalogue.ts";
import type { Database } from "../dynamo/database.ts";
import { sessionRows } from "../store/sessions/rows.ts";
import { traceReader } from "../store/traces/reader.ts";
import { scoreList } from "../store/scores/list.ts";
import { traceScoreKind } from "../store/scores/kind.ts";
import { recentUsage } from "../evaluation/start/recent-usage.ts";
import type { PlannedMetric } from "../judge/prices/estimate.ts";
import { cutSlices } from "../domain/runs/slice.ts";
import { metricReference } from "../domain/metrics/custom/reference.ts";
import { type CustomMetrics, customMetricStore } from "../store/metrics/custom-metrics.ts";
import { estimateRunCost, withEscalation, type EstimateDependencies } from "../evaluation/start/estimate-run.ts";

const builtIn: Readonly<Record<string, PlannedMetric>> = judgedCatalogue;

/** Finds a metric for a cost estimate. Custom metrics are estimated with the whole record, which is an upper bound. */
export const plannedMetric =
  (customMetrics: Pick<CustomMetrics, "version">) =>
  async (project: string, reference: string): Promise<Awaited<ReturnType<EstimateDependencies["metricOf"]>>> => {
    if (Object.hasOwn(builtIn, reference)) return builtIn[reference] ?? null;
    const { name, version } = metricReference(reference);
    const customVersion = version === null ? null : await customMetrics.version(project, name, version);
    if (customVersion === null) return null;
    const { definition } = customVersion;
    if (definition.kind !== "judge") return { method: "compare" };
    const model = definition.model === null ? null : fullModelName(definition.model);
    const { evidence } = definition;
    const usesExpectedOutput = evidence.includes("expected_output");
    return { method: "judge", sees: "record", isAlone: !evidence.includes("transcript"), usesExpectedOutput, model };
  };

/** Creates the cost estimate of runs, configured from the environment. In the request, `model` null or absent means the default model. */
export const environmentEstimate = (database: Database) => {
  const [prices, transcripts, refusalOf] = [operatorPrices(), transcriptSettings(), environmentModelRules()];
  const [defaultModel, defaultTier] = [required(variables.judgeModel), environmentTier()];
  const parts = {
    traces: traceReader(database),
    sessions: sessionRows(database),
    metricOf: plannedMetric(customMetricStore(database)),
    priceOf: (model: string) => priceOf(model, prices),
    budgetOf: (model: string) => transcriptBudget(transcripts, model),
    picturesOf: (model: string) => maxPictures(transcripts, model),
    mayAsk: (model: string) => refusalOf(model) === null,
    recentUsage: recentUsage(scoreList(database, traceScoreKind)),
  };
  return async (
    project: string,
    targetType: TargetType,
    {
      metrics,
      model = null,
      judge = null,
      tier,
    }: {
      readonly metrics: readonly string[];
      readonly model?: string | null | undefined;
      readonly judge?: JudgeCascade | null;
      readonly tier?: ServiceTier | null | undefined;
    },
    targets: readonly string[],
  ) => {
    const priceFactorOf = (judgeModel: string): number => tierShare(judgeModel, tier ?? defaultTier);
    const estimateWith = (requestedModel: string | null) =>
      estimateRunCost(parts, {
        project,
        targetType,
        metrics,
        model: fullModelName(requestedModel ?? defaultModel),
        isModelExplicit: requestedModel !== null,
        priceFactorOf,
        targets,
      });
    if (judge === null) return await estimateWith(model);
    const { to, at_most: atMost } = judge.escalate;
    const slices = cutSlices(targets, { metrics, targetType });
    const pairs = slices.reduce((sum, slice) => sum + Math.floor(slice.length * metrics.length * atMost), 0);
    const share = pairs / Math.max(1, targets.length * metrics.length);
    return withEscalation(await estimateWith(judge.first), await estimateWith(to), pairs, share);
  };
};
