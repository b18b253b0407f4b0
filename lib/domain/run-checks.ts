import { invalid } from "./refusal.ts";

/** @throws Refusal `invalid` naming every metric that is not in the catalogue. */
export const checkMetrics = (metrics: readonly string[], catalogue: readonly string[]): void => {
  const unknown = metrics.filter((name) => !catalogue.includes(name));
  if (unknown.length === 0) return;
  throw invalid(["body", "metrics"], `Unknown metrics: ${unknown.join(", ").slice(0, 1000)}`, "unknown_metric");
};

/** @throws Refusal `invalid` with the count, when a run would have more targets than it may. */
export const checkTargetCount = (count: number, most: number): void => {
  if (count <= most) return;
  const msg = `The run would have ${count} targets, more than ${most}. Narrow the filters or lower sampling_rate.`;
  throw invalid(["body", "filters"], msg, "too_many_targets");
};
