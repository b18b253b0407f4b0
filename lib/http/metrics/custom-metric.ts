import type { CustomMetricUpdate } from "../../contract/metrics/custom-fields.ts";
import type { CustomMetricReply, CustomMetricSummary, TriedMetric } from "../../contract/metrics/custom-metrics.ts";
import type { Json } from "../../domain/json.ts";
import { lint } from "../../domain/metrics/lint/lint.ts";
import type {
  CustomDefinition,
  CustomMetric,
  CustomTarget,
  CustomVersion,
  SentMetric,
} from "../../domain/metrics/custom/definition.ts";
import { versionedName } from "../../domain/metrics/custom/reference.ts";
import { rubricShown } from "../../domain/metrics/rubric-shown.ts";
import { invalid, notFound, type Refusal } from "../../domain/refusal.ts";
import type { CustomMetrics } from "../../store/metrics/custom-metrics.ts";
import { reservedMetricNames } from "../../metrics/reserved-names.ts";

export const metricNotFound = (name: string): Refusal => notFound(`Metric ${name} not found.`);

/** @throws Refusal `invalid` for a name that is not a project's to give. */
export const checkCustomName = (name: string): void => {
  if (reservedMetricNames.includes(name) || name in {}) throw invalid(["body", "name"], `The name ${name} is reserved`);
};

/** A metric as it was sent, changed by a body that says something of it. */
export const changedBy = (sent: SentMetric, body: CustomMetricUpdate): SentMetric => ({
  ...sent,
  ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
});

/** A metric with its versions as the wire has it. */
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

/** A definition in the form in which it is sent. */
export const definitionShown = (sent: object): Record<string, Json> => {
  const { scale }: { readonly scale?: unknown } = sent;
  const shown = { ...sent, scale: Array.isArray(scale) && scale.length === 0 ? "yes_no" : scale };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed of JSON, or is data.
  return shown as Record<string, Json>;
};

/** A linter's remarks on a metric; none on one that asks no judge. */
export const remarksOn = (definition: CustomDefinition, sent: SentMetric): CustomMetricReply["remarks"] =>
  definition.kind === "judge"
    ? lint(sent, definition.rubric).map(({ field, rule, message }) => ({ field: [...field], rule, message }))
    : [];

const saidOf = (
  definition: CustomDefinition,
  sent: SentMetric,
): Pick<CustomMetricReply, "definition" | "rubric" | "remarks"> => ({
  definition: definitionShown(sent),
  rubric: definition.kind === "judge" ? rubricShown(definition.rubric) : null,
  remarks: remarksOn(definition, sent),
});

/** One version of a metric as the wire has it. */
export const customMetricReply = (
  metric: CustomMetric,
  { name, version, definition, sent }: CustomVersion,
): CustomMetricReply => ({
  ...summaryReply(metric),
  target_type: definition.targetType,
  kind: definition.kind,
  description: definition.description,
  version,
  reference: versionedName(name, version),
  ...saidOf(definition, sent),
});

/** A metric as it would be made. */
export const triedReply = (name: string, definition: CustomDefinition, sent: SentMetric): TriedMetric => ({
  name,
  target_type: definition.targetType,
  kind: definition.kind,
  description: definition.description,
  ...saidOf(definition, sent),
});

/** A project's own metrics beside the built-in ones, by name. */
export const listedMetrics = async (
  own: Pick<CustomMetrics, "list">,
  project: string,
  targetType: CustomTarget,
): Promise<readonly { name: string; description: string; category: string; version: number }[]> => {
  const found = [];
  for await (const metric of own.list(project)) {
    const { name, description, versions, deletedAt } = metric;
    if (deletedAt !== null || metric.targetType !== targetType) continue;
    found.push({ name, description, category: targetType.toLowerCase(), version: versions.length });
  }
  return found;
};
