import type { CustomMetric } from "../../domain/metrics/custom/definition.ts";
import { hasVersion, metricReference, versionedName } from "../../domain/metrics/custom/reference.ts";
import { checkMetrics } from "../../domain/runs/checks.ts";
import { targetTypes, type TargetType } from "../../domain/runs/run.ts";
import type { CustomMetrics } from "../../store/metrics/custom-metrics.ts";
import { sessionMetricNames } from "../../metrics/session/catalogue.ts";
import { traceMetricNames } from "../../metrics/trace/catalogue.ts";

/** Names of built-in metrics by target type. */
const builtIn: Readonly<Record<TargetType, readonly string[]>> = {
  TRACE: traceMetricNames,
  SESSION: sessionMetricNames,
};

const isAvailable = ({ deletedAt, targetType }: CustomMetric, requiredType: TargetType): boolean =>
  deletedAt === null && targetType === requiredType;

/** Reads the custom metrics among the given names, which may have the form `name@version`. */
const loadCustomMetrics =
  (customMetrics: Pick<CustomMetrics, "findMany">) => async (project: string, names: readonly string[]) => {
    const customNames = names.filter((name) => !Object.values(builtIn).flat().includes(name));
    const metrics =
      customNames.length === 0
        ? []
        : await customMetrics.findMany(
            project,
            customNames.map((text) => metricReference(text).name),
          );
    const byName = new Map(metrics.map((metric) => [metric.name, metric]));

    /** Returns a custom metric as `name@version`; null if it is unknown, deleted or of another target type. */
    const resolveVersion = (text: string, targetType: TargetType): string | null => {
      const { name, version } = metricReference(text);
      const metric = byName.get(name);
      if (metric === undefined || !isAvailable(metric, targetType)) return null;
      const number = version ?? metric.versions.length;
      return hasVersion(metric, number) ? versionedName(name, number) : null;
    };
    return { versionOf: resolveVersion };
  };

type CustomMetricVersions = Awaited<ReturnType<ReturnType<typeof loadCustomMetrics>>>;

/** Returns the names that are neither built-in nor custom metrics of the target type. */
export const unknownMetrics = (
  names: readonly string[],
  targetType: TargetType,
  customMetrics: CustomMetricVersions,
): readonly string[] =>
  names.filter((name) => !builtIn[targetType].includes(name) && customMetrics.versionOf(name, targetType) === null);

/** Returns the names of all metrics available for a target type, for error messages. */
const availableMetrics = async (
  customMetrics: Pick<CustomMetrics, "list">,
  project: string,
  targetType: TargetType,
): Promise<readonly string[]> => {
  const names = [...builtIn[targetType]];
  for await (const metric of customMetrics.list(project)) if (isAvailable(metric, targetType)) names.push(metric.name);
  return names;
};

/** Metrics that a monitor may use. */
export interface MonitorMetrics {
  readonly custom: CustomMetricVersions;
  /** Returns the names with the versions that a run of now would have. */
  readonly resolved: (names: readonly string[], targetType: TargetType) => readonly string[];
  /** Available names by target type, for error messages. */
  readonly names: Readonly<Record<TargetType, readonly string[]>>;
}

/** Reads the metrics that a monitor names, to validate it before it is created or updated. */
export const monitorMetrics =
  (customMetrics: Pick<CustomMetrics, "findMany" | "list">) =>
  async (project: string, names: readonly string[] = []): Promise<MonitorMetrics> => {
    const custom = await loadCustomMetrics(customMetrics)(project, names);
    const hasUnknownName = targetTypes.every((type) => unknownMetrics(names, type, custom).length > 0);
    const namesOf = async (type: TargetType) =>
      hasUnknownName ? await availableMetrics(customMetrics, project, type) : builtIn[type];
    const resolved: MonitorMetrics["resolved"] = (metrics, type) =>
      metrics.map((name) => custom.versionOf(name, type) ?? name);
    return { custom, resolved, names: { TRACE: await namesOf("TRACE"), SESSION: await namesOf("SESSION") } };
  };

/** Resolves requested metric names to those a run stores: custom metrics become `name@version`. Duplicates are removed. */
export type ResolveMetrics = (
  project: string,
  targetType: TargetType,
  names: readonly string[],
) => Promise<readonly string[]>;

/** Creates the resolver of metric names. The resolver @throws Refusal `invalid` naming every unknown metric. */
export const resolveMetrics =
  (customMetrics: Pick<CustomMetrics, "findMany" | "list">): ResolveMetrics =>
  async (project, targetType, names) => {
    const custom = await loadCustomMetrics(customMetrics)(project, names);
    const unknown = unknownMetrics(names, targetType, custom);
    if (unknown.length > 0)
      checkMetrics(unknown, await availableMetrics(customMetrics, project, targetType), targetType);
    return [...new Set(names.map((name) => custom.versionOf(name, targetType) ?? name))];
  };
