import type { TargetType } from "./run.ts";
import { nearestNote } from "../nearest-name.ts";
import { invalid } from "../refusal.ts";

const kinds = { TRACE: "metrics", SESSION: "session metrics" } as const;

/** Formats the error message for unknown names, with the nearest of the first ten and the valid ones; lists are cut at 1,000 characters. */
export const unknownNamesMessage = (
  kind: string,
  unknownNames: readonly string[],
  validNames: readonly string[],
): string => {
  const [unknownText, validText] = [unknownNames, validNames].map((names) => names.join(", ").slice(0, 1000));
  const notes = new Set(unknownNames.slice(0, 10).map((name) => nearestNote(name, validNames)));
  return `Unknown ${kind}: ${unknownText}. Known are: ${validText}.${[...notes].join("")}`;
};

/**
 * Checks that all metrics of a run exist for its type of target.
 *
 * @throws Refusal `invalid` listing the unknown metrics.
 */
export const checkMetrics = (
  metrics: readonly string[],
  catalogue: readonly string[],
  targetType: TargetType = "TRACE",
): void => {
  const unknownNames = metrics.filter((name) => !catalogue.includes(name));
  if (unknownNames.length === 0) return;
  throw invalid(["body", "metrics"], unknownNamesMessage(kinds[targetType], unknownNames, catalogue), "unknown_metric");
};

/** Checks the number of targets that filters select. @throws Refusal `invalid` if it exceeds `max`. */
export const checkTargetCount = (count: number, max: number): void => {
  if (count <= max) return;
  const msg = `The run would have ${count} targets, more than ${max}. Narrow the filters or lower sampling_rate.`;
  throw invalid(["body", "filters"], msg, "too_many_targets");
};

/**
 * Checks the number of ids in an explicit list of targets.
 *
 * @param field name of the list in the body.
 * @throws Refusal `invalid` if it exceeds `max`.
 */
export const checkListedCount = (field: string, count: number, max: number): void => {
  if (count <= max) return;
  const msg = `List has ${count} different ids, more than ${max}. Make several runs, or one with filters.`;
  throw invalid(["body", field], msg, "too_many_targets");
};
