import { readAggregate } from "../../domain/metrics/aggregate.ts";
import type { CustomMetricDefinition } from "../../domain/metrics/custom/definition.ts";
import type { LintWarning } from "../../domain/metrics/lint/lint-warning.ts";
import { nearestName } from "../../domain/nearest-name.ts";
import type { Database } from "../../dynamo/database.ts";
import { traceCatalogue } from "../../metrics/trace/catalogue.ts";
import type { CustomMetrics } from "../../store/metrics/custom-metrics.ts";
import { countEstimates } from "../../store/scores/count-estimates.ts";

const builtInNames = Object.keys(traceCatalogue);

/**
 * Returns a function that warns about an aggregate over a name that neither a score nor a metric of traces has.
 * Counters of scores may lag writes by seconds.
 */
export const unknownScoreWarnings = (database: Database, metrics: Pick<CustomMetrics, "get">) => {
  const estimate = countEstimates(database, "trace", Date.now);
  return async (project: string, definition: CustomMetricDefinition): Promise<readonly LintWarning[]> => {
    const over = definition.kind === "fold" ? readAggregate(definition.fold, () => {})?.over : undefined;
    if (over === undefined || builtInNames.includes(over)) return [];
    const [metric, { matching }] = await Promise.all([metrics.get(project, over), estimate(project, { name: over })]);
    const isMetric = metric !== null && metric.deletedAt === null && metric.targetType === "TRACE";
    if (isMetric || matching !== 0) return [];
    const near = nearestName(over, builtInNames);
    const message = `No score of a trace has the name "${over}", and no metric of traces: the aggregate will not apply.${near === null ? "" : ` Did you mean "${near}"?`}`;
    return [{ field: ["fold", "over"], rule: "unknown_score", message }];
  };
};
