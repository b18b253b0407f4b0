import { hash } from "node:crypto";
import type { LabelMetric } from "../../domain/labels/label-set.ts";
import type { LabelScale } from "../../domain/labels/scale.ts";
import type { CustomMetricDefinition } from "../../domain/metrics/custom/definition.ts";
import { hasVersion, metricReference } from "../../domain/metrics/custom/reference.ts";
import { nameAdvice } from "../../domain/nearest-name.ts";
import { invalid } from "../../domain/refusal.ts";
import { judgedCatalogue } from "../../metrics/trace/catalogue.ts";
import { judgedMetrics } from "../../metrics/trace/definitions.ts";
import type { CustomMetrics } from "../../store/metrics/custom-metrics.ts";

const noScale: Omit<LabelScale, "data_type"> = {
  min: null,
  max: null,
  threshold: null,
  levels: [],
  categories: [],
  passing: [],
};

/** A scale as a request has it. */
type SentScale = Pick<LabelScale, "data_type"> & {
  readonly [Field in keyof LabelScale]?: LabelScale[Field] | null | undefined;
};

const scaleOf = (sent: SentScale): LabelScale => {
  const { data_type, min, max, threshold, levels, categories, passing } = sent;
  return {
    data_type,
    min: min ?? null,
    max: max ?? null,
    threshold: threshold ?? null,
    levels: levels ?? [],
    categories: categories ?? [],
    passing: passing ?? [],
  };
};

const customScale = (definition: CustomMetricDefinition): LabelScale => {
  const rubric = definition.kind === "judge" ? definition.rubric : null;
  if (rubric?.isNominal === true)
    return { ...noScale, data_type: "CATEGORICAL", categories: rubric.levels.map(({ name }) => name) };
  const levels = (rubric?.levels ?? []).map(({ name, value }) => ({ label: name, value }));
  return { ...noScale, data_type: "NUMERIC", min: 0, max: 1, threshold: definition.threshold, levels };
};

const hashOf = (text: unknown): string => hash("sha256", JSON.stringify(text), "base64url");

const builtInNames = Object.keys(judgedCatalogue);

/** Returns a built-in metric of traces as a set asks for it; null for another name. */
const builtInMetric = (name: string): LabelMetric | null => {
  const metric = judgedMetrics.find((each) => each.name === name);
  if (metric === undefined) return null;
  const { threshold = 0.5, description = null } =
    Object.entries(judgedCatalogue).find(([key]) => key === name)?.[1] ?? {};
  return {
    name,
    version: null,
    scale: { ...noScale, data_type: "NUMERIC", min: 0, max: 1, threshold },
    description,
    textHash: hashOf(metric),
  };
};

interface SentMetric {
  readonly name: string;
  readonly scale?: SentScale | null | undefined;
}

/** Returns functions that find metrics that people label for. */
export const labelMetricReader = (customMetrics: Pick<CustomMetrics, "get" | "version">) => {
  /** Returns a metric of traces by its name or as `name@version`; null if there is none. */
  const find = async (project: string, text: string): Promise<LabelMetric | null> => {
    const builtIn = builtInMetric(text);
    if (builtIn !== null) return builtIn;
    const { name, version } = metricReference(text);
    const metric = await customMetrics.get(project, name);
    if (metric === null || metric.deletedAt !== null || metric.targetType !== "TRACE") return null;
    const number = version ?? metric.versions.length;
    const stored = hasVersion(metric, number) ? await customMetrics.version(project, name, number) : null;
    return stored === null
      ? null
      : {
          name,
          version: number,
          scale: customScale(stored.definition),
          description: metric.description,
          textHash: hashOf(stored.definition),
        };
  };

  return {
    find,

    /** Returns what a set asks for. @throws Refusal `invalid` for a name that is no metric without a scale, and for a metric with one. */
    resolve: (project: string, sent: readonly SentMetric[]): Promise<readonly LabelMetric[]> =>
      Promise.all(
        sent.map(async ({ name, scale }, at) => {
          const metric = await find(project, name);
          if (metric !== null && scale != null)
            throw invalid(["body", "metrics", at, "scale"], "A metric has its own scale: leave it out");
          if (metric !== null) return metric;
          if (scale == null)
            throw invalid(
              ["body", "metrics", at, "name"],
              `No metric of traces has this name, and another name of scores needs a scale${nameAdvice(name, builtInNames)}`,
              "unknown_metric",
            );
          return { name, version: null, scale: scaleOf(scale), description: null, textHash: null };
        }),
      ),

    /** True if the text of a metric is as it was when a set was made. */
    isUnchanged: async (project: string, { name, textHash }: LabelMetric): Promise<boolean> =>
      ((await find(project, name))?.textHash ?? null) === textHash,
  };
};
