import { hash } from "node:crypto";
import { aggregate, readAggregate } from "../../domain/metrics/aggregate.ts";
import type { AggregateMetricDefinition, CustomMetricVersion } from "../../domain/metrics/custom/definition.ts";
import { type JudgementBasis } from "../../domain/scores/automated-score.ts";
import { judgeIdentity } from "../../domain/scores/score.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { AggregateMetric } from "../../judge/verdict/computed-metrics.ts";

/** Version of the aggregation algorithm; it changes when the same trace scores would give another session score. */
const aggregationVersion = 1;

/**
 * Builds an aggregate metric from a version of a custom metric: one score of a session from the scores of its traces.
 *
 * @throws Error for a stored aggregation that this version of the service cannot parse.
 */
export const aggregateMetric = (
  { name }: Pick<CustomMetricVersion, "name">,
  { fold: storedFold, description, threshold }: AggregateMetricDefinition,
): AggregateMetric => {
  const flaws: string[] = [];
  const definition = readAggregate(storedFold, (_, msg) => flaws.push(msg));
  if (definition === null) throw new Error(`The aggregate metric ${name} cannot be read: ${flaws[0]}`);
  const version = hash("sha256", JSON.stringify([aggregationVersion, name, definition])).slice(0, 12);
  const judge = judgeIdentity(`assay/${name}`, version);
  const grounds: JudgementBasis = { judge, inapplicable: null, evidence: null, traceVersion: null };
  return {
    method: "fold",
    name,
    description,
    category: "session",
    threshold,
    scoreName: definition.over,
    judgement: (scores) => {
      const { value: exactValue, reason, details } = aggregate(definition, scores);
      const commonMetadata = { cost_usd: 0, attempts: 0, ...details };
      if (exactValue === null)
        return { value: null, reason, metadata: { code: "no_signals", ...commonMetadata }, grounds };
      const value = rounded(exactValue);
      return { value, reason, metadata: { ...commonMetadata, threshold, success: value >= threshold }, grounds };
    },
  };
};
