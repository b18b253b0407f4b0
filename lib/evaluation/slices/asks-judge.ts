import { metricReference } from "../../domain/metrics/own/reference.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { OwnMetricOf } from "../../judge/target-judge.ts";

/** Whether any metric of a run needs its model: checks and folds of a project's own ask nobody. */
export const asksJudge =
  (own: OwnMetricOf) =>
  async ({ projectId, metrics }: Pick<RunOrder, "projectId" | "metrics">): Promise<boolean> => {
    for (const metric of metrics) {
      if (metricReference(metric).version === null) return true;
      const found = await own(projectId, metric);
      if (found?.method !== "check" && found?.method !== "fold") return true;
    }
    return false;
  };
