import { required, variables } from "./environment.ts";
import type { TargetType } from "../domain/runs/run.ts";
import { modelId, resolveModel } from "../domain/runs/model.ts";
import { ownPrices } from "./prices.ts";
import { priceOf } from "../judge/prices/price-list.ts";
import { judgedCatalogue } from "../metrics/trace/catalogue.ts";
import type { Database } from "../store/database.ts";
import { sessionRows } from "../store/sessions/rows.ts";
import { traceReader } from "../store/traces/reader.ts";
import { estimateRun } from "../evaluation/start/estimate-run.ts";

/** Estimates runs with this function's environment's prices. @param model as it was sent; null means the default. */
export const environmentEstimate = (database: Database) => {
  const prices = ownPrices();
  const defaultModel = required(variables.judgeModel);
  const parts = {
    traces: traceReader(database),
    sessions: sessionRows(database),
    metrics: judgedCatalogue,
    priceOf: (model: string) => priceOf(model, prices),
  };
  return (
    project: string,
    targetType: TargetType,
    { metrics, model = null }: { readonly metrics: readonly string[]; readonly model?: string | null | undefined },
    targets: readonly string[],
  ) => {
    const resolved = resolveModel(model ?? defaultModel);
    const planned = {
      project,
      targetType,
      metrics,
      model: resolved === null ? defaultModel : modelId(resolved),
      targets,
    };
    return estimateRun(parts, planned);
  };
};
