import { metricReference } from "../../domain/metrics/custom/reference.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { CustomMetricOf } from "../../judge/target-judge.ts";

type JudgedRun = Pick<RunOrder, "projectId" | "metrics" | "model" | "resolvedModel">;

/**
 * The models that judge a run: its own, and in a run that names none those of its metrics. None where checks and folds of a
 * project's own are all: they ask nobody.
 */
export const modelsOf =
  (own: CustomMetricOf) =>
  async ({ projectId, metrics, model, resolvedModel }: JudgedRun): Promise<readonly string[]> => {
    const models = new Set<string>();
    for (const metric of metrics) {
      const found = metricReference(metric).version === null ? null : await own(projectId, metric);
      if (found?.method === "check" || found?.method === "fold") continue;
      const chosen = found?.method === "judge" && model === null ? found.model : null;
      models.add(chosen ?? resolvedModel);
    }
    return [...models];
  };
