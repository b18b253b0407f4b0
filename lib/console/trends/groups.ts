import type { ScoreSummary, ScoreTrendBucket } from "../../client/interface.ts";
import { sideOf } from "../traces/trace-filters.ts";

/** Filters of the list of traces by their names in the address. */
type Filters = Readonly<Record<string, string>>;

const filteredBy =
  (name: string) =>
  (value: string): Filters => ({ [name]: value });

/** Returns the filters of a prompt, `name@version` or a name. */
const promptFilters = (prompt: string): Filters => {
  const at = prompt.lastIndexOf("@");
  if (at === -1) return { prompt_name: prompt };
  const version = { prompt_version: prompt.slice(at + 1) };
  return at === 0 ? version : { prompt_name: prompt.slice(0, at), ...version };
};

/** What scores are compared by: the title, and for a fact of traces the filters that select a group's traces. */
export const dimensions = {
  release: { title: "release", filtersOf: filteredBy("release") },
  environment: { title: "environment", filtersOf: filteredBy("environment") },
  model: { title: "model", filtersOf: filteredBy("model") },
  trace_name: { title: "trace name", filtersOf: filteredBy("name") },
  tag: { title: "tag", filtersOf: filteredBy("tags") },
  user_id: { title: "user", filtersOf: filteredBy("user_id") },
  prompt: { title: "prompt", filtersOf: promptFilters },
  judge: { title: "judge", filtersOf: null },
  metric_version: { title: "metric version", filtersOf: null },
} as const;

/** Names of trace filters on scores, where they differ from those of lists of traces. */
const scoreFilterNames: Readonly<Record<string, string>> = { model: "trace_model", name: "trace_name" };

/** Returns filters of traces as a side of a comparison, separated by commas. */
export const comparisonSide = (filters: Filters): string =>
  Object.entries(filters)
    .map(([name, value]) => sideOf(scoreFilterNames[name] ?? name, value))
    .join(",");

export type DimensionName = keyof typeof dimensions;

export const isDimension = (name: string | undefined): name is DimensionName =>
  name !== undefined && Object.hasOwn(dimensions, name);

/** The value of a group in a reply; null for scores without one and for the sum of the smallest groups. */
export const groupValue = ({ group, is_other: isOther }: ScoreSummary, dimension: DimensionName): string | null =>
  isOther === true ? null : (group?.[dimension] ?? null);

/** The label of a group in a table. */
export const groupLabel = (summary: ScoreSummary, dimension: DimensionName): string =>
  summary.is_other === true ? "all others" : (groupValue(summary, dimension) ?? "none");

/** Returns the group whose scores began first; of several that began together, the largest. */
export const oldestGroup = (
  values: readonly string[],
  trends: readonly ScoreTrendBucket[],
  dimension: DimensionName,
): string => {
  const startOf = (value: string): string =>
    trends.find((bucket) => bucket.group?.[dimension] === value && bucket.is_other !== true)?.bucket ?? "";
  const [oldest = ""] = values.toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : Number(startOf(a) > startOf(b))));
  return oldest;
};
