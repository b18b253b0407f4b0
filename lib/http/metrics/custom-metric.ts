import type { CustomMetricUpdate } from "../../contract/metrics/custom-fields.ts";
import type {
  CustomMetricReply,
  CustomMetricSummary,
  CustomMetricDryRun,
} from "../../contract/metrics/custom-metrics.ts";
import type { Json } from "../../domain/json.ts";
import type { LintWarning } from "../../domain/metrics/lint/lint-warning.ts";
import { isDecisionModel } from "../../domain/runs/model.ts";
import { decisionWarnings } from "../../domain/metrics/lint/decision-warnings.ts";
import { lintMetric } from "../../domain/metrics/lint/lint.ts";
import type {
  CustomMetricDefinition,
  CustomMetric,
  CustomMetricTarget,
  CustomMetricVersion,
  CustomMetricInput,
} from "../../domain/metrics/custom/definition.ts";
import { readsAs } from "../../domain/metrics/meaning/reads-as.ts";
import { versionedName } from "../../domain/metrics/custom/reference.ts";
import { rubricView } from "../../domain/metrics/rubric-view.ts";
import { invalid, notFound, type Refusal } from "../../domain/refusal.ts";
import type { CustomMetrics } from "../../store/metrics/custom-metrics.ts";
import { reservedMetricNames } from "../../metrics/reserved-names.ts";

export const metricNotFound = (name: string): Refusal => notFound(`Metric ${name} not found.`);

/** Refusal of a deleted metric that is requested without a version. */
export const deletedMetric = ({ name, versions }: Pick<CustomMetric, "name" | "versions">): Refusal =>
  notFound(
    `Metric ${name} not found: it was deleted. Read a version of it, such as ${versionedName(name, versions.length)}.`,
  );

/** Checks that a custom metric may have a name. @throws Refusal `invalid` for the name of a built-in metric or an object property. */
export const checkCustomName = (name: string): void => {
  if (reservedMetricNames.includes(name) || name in {}) throw invalid(["body", "name"], `The name ${name} is reserved`);
};

/** Merges an update body into the stored input of a metric; undefined fields are left unchanged. */
export const mergeUpdate = (input: CustomMetricInput, body: CustomMetricUpdate): CustomMetricInput => ({
  ...input,
  ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
});

/** Returns the summary of a custom metric with the list of its versions. */
export const summaryReply = (metric: CustomMetric): CustomMetricSummary => {
  const { versions } = metric;
  const created = versions[0] ?? "";
  return {
    id: metric.id,
    project_id: metric.projectId,
    name: metric.name,
    target_type: metric.targetType,
    kind: metric.kind,
    description: metric.description,
    version: versions.length,
    versions: versions.map((at, place) => ({ version: place + 1, created_at: at })),
    created_at: created,
    updated_at: metric.deletedAt ?? versions.at(-1) ?? created,
    deleted_at: metric.deletedAt,
  };
};

/** Returns the definition of a metric in the form of the request body; an empty stored scale becomes `yes_no`. */
export const definitionReply = (input: object): Record<string, Json> => {
  const { scale }: { readonly scale?: unknown } = input;
  const definition = {
    scale_type: "order",
    ...input,
    scale: Array.isArray(scale) && scale.length === 0 ? "yes_no" : scale,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the input is parsed JSON.
  return definition as Record<string, Json>;
};

/** Returns the lint warnings about a metric. @param scoreWarnings warnings that need the project's scores. */
export const lintWarningsOf = (
  definition: CustomMetricDefinition,
  input: CustomMetricInput,
  scoreWarnings: readonly LintWarning[] = [],
): CustomMetricReply["remarks"] =>
  [
    ...lintMetric(definition, input),
    ...(input.model != null && isDecisionModel(input.model) ? decisionWarnings(input) : []),
    ...scoreWarnings,
  ].map(({ field, rule, message }) => ({
    field: [...field],
    rule,
    message,
  }));

const definitionFields = (
  definition: CustomMetricDefinition,
  input: CustomMetricInput,
  scoreWarnings: readonly LintWarning[],
): Pick<CustomMetricReply, "definition" | "rubric" | "reads_as" | "remarks"> => ({
  definition: definitionReply(input),
  rubric: definition.kind === "judge" ? rubricView(definition.rubric) : null,
  reads_as: readsAs(definition, input),
  remarks: lintWarningsOf(definition, input, scoreWarnings),
});

/**
 * Returns the API representation of one version of a custom metric.
 *
 * @param scoreWarnings warnings that need the project's scores; none where a metric is only read.
 */
export const customMetricReply = (
  metric: CustomMetric,
  { name, version, definition, sent }: CustomMetricVersion,
  scoreWarnings: readonly LintWarning[],
): CustomMetricReply => ({
  ...summaryReply(metric),
  target_type: definition.targetType,
  kind: definition.kind,
  description: definition.description,
  version,
  reference: versionedName(name, version),
  ...definitionFields(definition, sent, scoreWarnings),
});

/** Returns the reply to the dry run of a metric's creation. */
export const dryRunReply = (
  name: string,
  definition: CustomMetricDefinition,
  input: CustomMetricInput,
  scoreWarnings: readonly LintWarning[],
): CustomMetricDryRun => ({
  name,
  target_type: definition.targetType,
  kind: definition.kind,
  description: definition.description,
  ...definitionFields(definition, input, scoreWarnings),
});

/** Returns a project's custom metrics for a target type, as items of the metric catalogue. Deleted metrics are left out. */
export const customMetricItems = async (
  customMetrics: Pick<CustomMetrics, "list">,
  project: string,
  targetType: CustomMetricTarget,
): Promise<readonly { name: string; description: string; category: string; version: number }[]> => {
  const items = [];
  for await (const metric of customMetrics.list(project)) {
    const { name, description, versions, deletedAt } = metric;
    if (deletedAt !== null || metric.targetType !== targetType) continue;
    items.push({ name, description, category: targetType.toLowerCase(), version: versions.length });
  }
  return items;
};
