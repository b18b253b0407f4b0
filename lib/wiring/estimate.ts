import { required, variables } from "./environment.ts";
import type { TargetType } from "../domain/runs/run.ts";
import { modelId, resolveModel } from "../domain/runs/model.ts";
import type { Tier } from "../domain/runs/tier.ts";
import { environmentTier } from "./judge-tier.ts";
import { ownPrices } from "./prices.ts";
import { picturesOf, transcriptBudget } from "../judge/transcript/transcript-settings.ts";
import { transcriptSettings } from "./transcripts.ts";
import { flexShare, priceOf } from "../judge/prices/price-list.ts";
import { judgedCatalogue } from "../metrics/trace/catalogue.ts";
import type { Database } from "../store/database.ts";
import { sessionRows } from "../store/sessions/rows.ts";
import { traceReader } from "../store/traces/reader.ts";
import { scoreList } from "../store/scores/list.ts";
import { traceScores } from "../store/scores/kind.ts";
import { usedLately } from "../evaluation/start/used-lately.ts";
import type { PlannedMetric } from "../judge/prices/estimate.ts";
import { metricReference } from "../domain/metrics/custom/reference.ts";
import type { CustomMetrics } from "../store/metrics/custom-metrics.ts";
import { environmentCustomMetrics } from "./custom-metrics.ts";
import { estimateRun, type EstimateParts } from "../evaluation/start/estimate-run.ts";

/** A model by its full name. */
const fullModel = (given: string): string => {
  const resolved = resolveModel(given);
  return resolved === null ? given : modelId(resolved);
};

const builtIn: Readonly<Record<string, PlannedMetric>> = judgedCatalogue;

/** A metric of a project's own is shown the record, or less. */
const plannedMetric =
  (own: Pick<CustomMetrics, "version">) =>
  async (project: string, reference: string): Promise<Awaited<ReturnType<EstimateParts["metricOf"]>>> => {
    if (Object.hasOwn(builtIn, reference)) return builtIn[reference] ?? null;
    const { name, version } = metricReference(reference);
    const found = version === null ? null : await own.version(project, name, version);
    if (found === null) return null;
    const { definition } = found;
    if (definition.kind !== "judge") return { method: "compare" };
    const model = definition.model === null ? null : fullModel(definition.model);
    return { method: "judge", sees: "record", model };
  };

/** Estimates runs with this function's environment's prices. @param model as it was sent; null means the default. */
export const environmentEstimate = (database: Database) => {
  const [prices, transcripts] = [ownPrices(), transcriptSettings()];
  const [defaultModel, defaultTier] = [required(variables.judgeModel), environmentTier()];
  const parts = {
    traces: traceReader(database),
    sessions: sessionRows(database),
    metricOf: plannedMetric(environmentCustomMetrics(database)),
    priceOf: (model: string) => priceOf(model, prices),
    budgetOf: (model: string) => transcriptBudget(transcripts, model),
    picturesOf: (model: string) => picturesOf(transcripts, model),
    usedLately: usedLately(scoreList(database, traceScores)),
  };
  return (
    project: string,
    targetType: TargetType,
    {
      metrics,
      model = null,
      tier,
    }: {
      readonly metrics: readonly string[];
      readonly model?: string | null | undefined;
      readonly tier?: Tier | null | undefined;
    },
    targets: readonly string[],
  ) => {
    const resolved = resolveModel(model ?? defaultModel);
    const chosen = resolved === null ? defaultModel : modelId(resolved);
    const shareOf = (of: string): number => ((tier ?? defaultTier) === "flex" ? flexShare(of) : 1);
    const planned = { project, targetType, metrics, model: chosen, isChosen: model !== null, shareOf, targets };
    return estimateRun(parts, planned);
  };
};
