import { readAggregate } from "../../domain/metrics/aggregate.ts";
import type { CustomMetricDefinition } from "../../domain/metrics/custom/definition.ts";
import type { LintWarning } from "../../domain/metrics/lint/lint-warning.ts";
import { nearestName } from "../../domain/nearest-name.ts";
import type { Database } from "../../dynamo/database.ts";
import { traceCatalogue } from "../../metrics/trace/catalogue.ts";
import type { CustomMetrics } from "../../store/metrics/custom-metrics.ts";
import { lackNumbers, scoreTypes } from "../../store/scores/units/types.ts";

const builtInNames = Object.keys(traceCatalogue);

/**
 * Returns a function that warns about an aggregate over a name that neither a score nor a metric of traces has, or whose
 * scores are categories.
 * Counters of scores may lag writes by seconds.
 */
export const unknownScoreWarnings = (database: Database, metrics: Pick<CustomMetrics, "get">) => {
  const typesOf = scoreTypes(database, ["trace"]);
  return async (project: string, definition: CustomMetricDefinition): Promise<readonly LintWarning[]> => {
    const over = definition.kind === "fold" ? readAggregate(definition.fold, () => {})?.over : undefined;
    if (over === undefined || builtInNames.includes(over)) return [];
    const [metric, types] = await Promise.all([metrics.get(project, over), typesOf(project, over)]);
    const field = ["fold", "over"];
    if (lackNumbers(types)) {
      const message = `All scores of "${over}" are categories, which have no number: the aggregate will not apply.`;
      return [{ field, rule: "score_without_number", message }];
    }
    const isMetric = metric !== null && metric.deletedAt === null && metric.targetType === "TRACE";
    if (isMetric || types.length > 0) return [];
    const near = nearestName(over, builtInNames);
    const message = `No score of a trace has the name "${over}", and no metric of traces: the aggregate will not apply.${near === null ? "" : ` Did you mean "${near}"?`}`;
    return [{ field, rule: "unknown_score", message }];
  };
};
