import type { LabelScale } from "../../client/interface.ts";

/** Number of values that are proposed of a range of numbers. */
const steps = 5;

/** Returns the values of a scale with their titles: of numbers the lowest first. */
const valuesOf = ({
  data_type: type,
  levels,
  categories,
  min,
  max,
}: LabelScale): readonly (readonly [value: string, title: string])[] => {
  if (type === "BOOLEAN") return Object.entries({ true: "yes", false: "no" });
  if (type === "CATEGORICAL") return categories.map((name) => [name, name]);
  if (levels.length > 0) return levels.toReversed().map(({ label, value }) => [String(value), label]);
  const [from, to] = [min ?? 0, max ?? 1];
  const values = Array.from({ length: steps }, (_, at) => from + ((to - from) * at) / (steps - 1));
  return values.map((value) => Number(value.toPrecision(6)).toString()).map((value) => [value, value]);
};

/** Returns what a person chooses from, each with its key. */
export const choicesOf = (scale: LabelScale) => [
  ...valuesOf(scale).map(([value, title], at) => ({ key: String(at + 1), value, title })),
  { key: "0", value: "cannot_tell", title: "cannot tell" },
];

/** Returns which values pass, as a clause; empty where the choices say it. */
export const passingText = ({ data_type: type, passing, threshold }: LabelScale): string => {
  if (type === "CATEGORICAL") return passing.length === 0 ? "" : `passes: ${passing.join(", ")}`;
  return threshold === null ? "" : `passes from ${threshold}`;
};
