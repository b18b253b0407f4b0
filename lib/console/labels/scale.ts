import type { LabelScale } from "../../client/interface.ts";
import { cannotTell, labelPasses } from "../../domain/labels/scale.ts";

const isShare = ({ min, max }: LabelScale): boolean => min === 0 && max === 1;

/** True if each number of a range is proposed: whole ones from end to end, at most eleven. */
const isWhole = (scale: LabelScale): boolean =>
  [scale.min, scale.max].every(Number.isInteger) && Number(scale.max) - Number(scale.min) <= 10 && !isShare(scale);

const isOfNumbers = ({ data_type: type, levels }: LabelScale): boolean => type === "NUMERIC" && levels.length === 0;

/** True if a person may type a number that is not among the choices. */
export const hasNumberField = (scale: LabelScale): boolean => isOfNumbers(scale) && !isWhole(scale);

const numbersOf = (scale: LabelScale): readonly number[] => {
  if (!isWhole(scale)) return isShare(scale) ? [0, 0.25, 0.5, 0.75, 1] : [];
  const [from, to] = [Number(scale.min), Number(scale.max)];
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
};

/** Returns the proposed values of a scale with their titles, from the worst to the best. */
const valuesOf = (scale: LabelScale): readonly (readonly [value: string, title: string])[] => {
  const { data_type: type, levels, categories, passing } = scale;
  if (type === "BOOLEAN") return Object.entries({ false: "no", true: "yes" });
  if (type === "CATEGORICAL")
    return categories
      .toSorted((a, b) => Number(passing.includes(a)) - Number(passing.includes(b)))
      .map((name) => [name, name]);
  if (levels.length > 0) return levels.toReversed().map(({ label, value }) => [String(value), label]);
  return numbersOf(scale)
    .map(String)
    .map((value) => [value, value]);
};

/** Returns what a person chooses from: each with its key, empty if it has none, and whether it passes, null where nothing does. */
export const choicesOf = (scale: LabelScale) => {
  const choices = valuesOf(scale).map(([value, title], at) => {
    // A whole number has its own digit, so that nobody gives another one by mistake.
    const key = isOfNumbers(scale) && isWhole(scale) ? value : String(at + 1);
    return { key: /^\d$/u.test(key) ? key : "", value, title, passes: labelPasses(scale, value) };
  });
  const key = choices.some((choice) => choice.key === "0") ? "c" : "0";
  return [...choices, { key, value: cannotTell, title: "cannot tell", passes: null }];
};

/** Returns which values pass, as a clause; empty where the scale says of none that it does. */
export const passingText = (scale: LabelScale): string => {
  if (isOfNumbers(scale)) return scale.threshold === null ? "" : `passes from ${scale.threshold}`;
  const titles = valuesOf(scale).flatMap(([value, title]) => (labelPasses(scale, value) === true ? title : []));
  return titles.length === 0 ? "" : `passes: ${titles.join(", ")}`;
};
