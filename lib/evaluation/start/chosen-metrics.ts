import type { CustomMetric } from "../../domain/metrics/custom/definition.ts";
import { hasVersion, metricReference, versionedName } from "../../domain/metrics/custom/reference.ts";
import { checkMetrics } from "../../domain/runs/checks.ts";
import { targetTypes, type TargetType } from "../../domain/runs/run.ts";
import type { CustomMetrics } from "../../store/metrics/custom-metrics.ts";
import { sessionMetricNames } from "../../metrics/session/catalogue.ts";
import { traceMetricNames } from "../../metrics/trace/catalogue.ts";

/** Metrics that every project has, by what they are of. */
const builtIn: Readonly<Record<TargetType, readonly string[]>> = {
  TRACE: traceMetricNames,
  SESSION: sessionMetricNames,
};

const isAvailable = ({ deletedAt, targetType }: CustomMetric, asked: TargetType): boolean =>
  deletedAt === null && targetType === asked;

/** Metrics of a project's own that a new run may ask for by some names, `name@version` among them. */
const customChoice = (own: Pick<CustomMetrics, "named">) => async (project: string, names: readonly string[]) => {
  const asked = names.filter((name) => !Object.values(builtIn).flat().includes(name));
  const found =
    asked.length === 0
      ? []
      : await own.named(
          project,
          asked.map((text) => metricReference(text).name),
        );
  const byName = new Map(found.map((metric) => [metric.name, metric]));

  /** A version as a run keeps it; null when no run of such targets may ask for it. */
  const versionOf = (text: string, targetType: TargetType): string | null => {
    const { name, version } = metricReference(text);
    const metric = byName.get(name);
    if (metric === undefined || !isAvailable(metric, targetType)) return null;
    const number = version ?? metric.versions.length;
    return hasVersion(metric, number) ? versionedName(name, number) : null;
  };
  return { versionOf };
};

type CustomChoice = Awaited<ReturnType<ReturnType<typeof customChoice>>>;

/** Names that are neither built in nor a project's own. */
export const unknownMetrics = (
  names: readonly string[],
  targetType: TargetType,
  own: CustomChoice,
): readonly string[] =>
  names.filter((name) => !builtIn[targetType].includes(name) && own.versionOf(name, targetType) === null);

/** Names that can be asked for, for whoever asked for others. */
const knownMetrics = async (
  own: Pick<CustomMetrics, "list">,
  project: string,
  targetType: TargetType,
): Promise<readonly string[]> => {
  const names = [...builtIn[targetType]];
  for await (const metric of own.list(project)) if (isAvailable(metric, targetType)) names.push(metric.name);
  return names;
};

/** What a monitor may name. */
export interface MetricChoice {
  readonly choice: CustomChoice;
  /** By what they are of, for whoever names others. */
  readonly names: Readonly<Record<TargetType, readonly string[]>>;
}

/** Looks up what a monitor names before it is made or changed. */
export const metricChoice =
  (own: Pick<CustomMetrics, "named" | "list">) =>
  async (project: string, names: readonly string[] = []): Promise<MetricChoice> => {
    const choice = await customChoice(own)(project, names);
    const isWrong = targetTypes.every((type) => unknownMetrics(names, type, choice).length > 0);
    const known = async (type: TargetType) => (isWrong ? await knownMetrics(own, project, type) : builtIn[type]);
    return { choice, names: { TRACE: await known("TRACE"), SESSION: await known("SESSION") } };
  };

/** Names of metrics as they are sent, made those that a run keeps: the versions of a project's own are frozen. */
export type ChooseMetrics = (
  project: string,
  targetType: TargetType,
  names: readonly string[],
) => Promise<readonly string[]>;

/** @throws Refusal `invalid` naming every metric that is neither built in nor the project's own. */
export const chosenMetrics =
  (own: Pick<CustomMetrics, "named" | "list">): ChooseMetrics =>
  async (project, targetType, names) => {
    const choice = await customChoice(own)(project, names);
    const unknown = unknownMetrics(names, targetType, choice);
    if (unknown.length > 0) checkMetrics(unknown, await knownMetrics(own, project, targetType), targetType);
    return [...new Set(names.map((name) => choice.versionOf(name, targetType) ?? name))];
  };
