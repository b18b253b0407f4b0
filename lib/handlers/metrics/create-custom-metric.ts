import type { CustomMetricDryRun, CustomMetricReply } from "../../contract/metrics/custom-metrics.ts";
import { definitionOf } from "../../domain/metrics/custom/definition-of.ts";
import type { CustomMetricInput } from "../../domain/metrics/custom/definition.ts";
import type { IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { checkCustomName, customMetricReply, dryRunReply } from "../../http/metrics/custom-metric.ts";
import { unknownScoreWarnings } from "../../http/metrics/unknown-score.ts";
import { connect } from "../../dynamo/database.ts";
import { requiredNumber, variables } from "../../wiring/environment.ts";
import { customMetricStore, metricNameConflict } from "../../store/metrics/custom-metrics.ts";

/** Name and definition of a metric in a request. */
interface RequestedMetric {
  readonly name: string;
  readonly input: CustomMetricInput;
}

/** Parts of a request that creates a metric. */
interface CreateRequest {
  readonly project: { readonly id: string };
  readonly idFor: (purpose: string) => string;
  readonly idempotency: IdempotencyCheck;
}

/** Returns the functions with which handlers create a custom metric or run its creation dry. */
export const customMetricCreation = () => {
  const database = connect();
  const metrics = customMetricStore(database);
  const scoreWarnings = unknownScoreWarnings(database, metrics);
  const maxMetrics = requiredNumber(variables.maxCustomMetrics);
  return {
    database,
    /** Creates a metric. @throws Refusal as `CustomMetrics.create`, and `invalid` for a bad name or definition. */
    create: async (
      { idFor, project, idempotency }: CreateRequest,
      { name, input }: RequestedMetric,
    ): Promise<CustomMetricReply> => {
      checkCustomName(name);
      const definition = definitionOf(input);
      const newMetric = { id: idFor("metric"), projectId: project.id, name, definition, sent: input };
      const { metric, version } = await metrics.create(newMetric, maxMetrics, idempotency);
      return customMetricReply(metric, version, await scoreWarnings(project.id, version.definition));
    },
    /** Checks a metric without storing it. @throws Refusal `invalid` for a bad name or definition, `conflict` for an existing name. */
    dryRun: async (
      { project }: Pick<CreateRequest, "project">,
      { name, input }: RequestedMetric,
    ): Promise<CustomMetricDryRun> => {
      checkCustomName(name);
      const definition = definitionOf(input);
      const existing = await metrics.get(project.id, name);
      if (existing !== null && existing.deletedAt === null) throw metricNameConflict(name);
      return dryRunReply(name, definition, input, await scoreWarnings(project.id, definition));
    },
  };
};
