import type { Score } from "./score.ts";

/**
 * Returns the number of a score, by which means, trends, distributions, alerts, aggregates and sorts take it: the value of
 * a NUMERIC score, 1 for true and 0 for false. Null for categories, without a value, and if the metric does not apply.
 */
export const scoreNumber = ({
  value,
  data_type: type,
  applicable,
}: Pick<Score, "value" | "data_type" | "applicable">): number | null => {
  if (value === null || applicable === false || type === "CATEGORICAL") return null;
  return type === "BOOLEAN" ? Number(value === "true") : Number(value);
};
