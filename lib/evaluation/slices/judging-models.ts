import { metricReference } from "../../domain/metrics/custom/reference.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { FindCustomMetric } from "../../judge/target-judge.ts";

type JudgedRun = Pick<RunOrder, "projectId" | "metrics" | "model" | "resolvedModel">;

/**
 * Returns the models that judge a run: the model of the run, or, if the run names none, the models of its metrics too. Check
 * and aggregate metrics need no model.
 */
export const judgingModels =
  (findCustomMetric: FindCustomMetric) =>
  async ({ projectId, metrics, model, resolvedModel }: JudgedRun): Promise<readonly string[]> => {
    const models = new Set<string>();
    for (const metric of metrics) {
      const customMetric = metricReference(metric).version === null ? null : await findCustomMetric(projectId, metric);
      if (customMetric?.method === "check" || customMetric?.method === "fold") continue;
      const metricModel = customMetric?.method === "judge" && model === null ? customMetric.model : null;
      models.add(metricModel ?? resolvedModel);
    }
    return [...models];
  };
