import type { TargetType } from "./run.ts";
import { invalid } from "../refusal.ts";

const kinds = { TRACE: "metrics", SESSION: "session metrics" } as const;

/** What names are unknown, and which are known; as many of both as a reader looks through. */
export const unknownWords = (what: string, unknown: readonly string[], known: readonly string[]): string =>
  `Unknown ${what}: ${unknown.join(", ").slice(0, 1000)}. Known are: ${known.join(", ").slice(0, 1000)}.`;

/** @throws Refusal `invalid` naming every metric that is not in the catalogue of its kind of target. */
export const checkMetrics = (
  metrics: readonly string[],
  catalogue: readonly string[],
  targetType: TargetType = "TRACE",
): void => {
  const unknown = metrics.filter((name) => !catalogue.includes(name));
  if (unknown.length === 0) return;
  throw invalid(["body", "metrics"], unknownWords(kinds[targetType], unknown, catalogue), "unknown_metric");
};

/** @throws Refusal `invalid` with the count, when a run would have more targets than it may. */
export const checkTargetCount = (count: number, most: number): void => {
  if (count <= most) return;
  const msg = `The run would have ${count} targets, more than ${most}. Narrow the filters or lower sampling_rate.`;
  throw invalid(["body", "filters"], msg, "too_many_targets");
};

/** @throws Refusal `invalid` with the count, when a list names more targets than it may. @param field of the body. */
export const checkListedCount = (field: string, count: number, most: number): void => {
  if (count <= most) return;
  const msg = `List has ${count} different ids, more than ${most}. Make several runs, or one with filters.`;
  throw invalid(["body", field], msg, "too_many_targets");
};
