import type { ScoreSummary } from "../../client/interface.ts";

/**
 * What scores are compared by: the title, and for a fact of traces its filter in the list of traces and its name in a
 * comparison.
 */
export const dimensions = {
  release: { title: "release", filter: "release", side: "release" },
  environment: { title: "environment", filter: "environment", side: "environment" },
  model: { title: "model", filter: "model", side: "trace_model" },
  trace_name: { title: "trace name", filter: "name", side: "trace_name" },
  tag: { title: "tag", filter: "tags", side: "tags" },
  user_id: { title: "user", filter: "user_id", side: "user_id" },
  judge: { title: "judge", filter: null, side: null },
  metric_version: { title: "metric version", filter: null, side: null },
} as const;

export type Dimension = keyof typeof dimensions;

export const isDimension = (name: string | undefined): name is Dimension =>
  name !== undefined && Object.hasOwn(dimensions, name);

/** The value of a group in a reply; null for scores without one and for the sum of the smallest groups. */
export const groupValue = ({ group, is_other: isOther }: ScoreSummary, dimension: Dimension): string | null =>
  isOther === true ? null : (group?.[dimension] ?? null);

/** The label of a group in a table. */
export const groupLabel = (summary: ScoreSummary, dimension: Dimension): string =>
  summary.is_other === true ? "all others" : (groupValue(summary, dimension) ?? "none");
