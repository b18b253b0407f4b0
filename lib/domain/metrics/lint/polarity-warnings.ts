import { firstQuestion } from "../meaning/yes-no-question.ts";
import type { Level, Rubric } from "../rubric.ts";
import { blameWord } from "./blame.ts";
import type { LintedMetric, LintWarning } from "./lint-warning.ts";

/** Returns the sum of the differences in score that a yes makes instead of a no, over all other answers. */
const gainOfYes = (levelsByAnswers: readonly (Level | null)[], statement: number): number =>
  levelsByAnswers.reduce((sum, level, bits) => {
    const value = level?.value ?? 0;
    return (bits >> statement) % 2 === 0 ? sum - value : sum + value;
  }, 0);

const warningAt = (field: LintWarning["field"], text: string, advice: string): readonly LintWarning[] => {
  const word = blameWord(text);
  const message = `"${word}" names a fault, and ${advice}`;
  return word === null ? [] : [{ field, rule: "polarity", message }];
};

const yesIsBetter =
  "yes counts for a higher score here: the worst records would succeed. Set `expected` to no or change the rule, or ask for the opposite.";

/**
 * Warns about questions that name a fault and whose yes raises the score, so that the worst records succeed.
 *
 * @param levelsByAnswers level by the answers as bits, the first statement lowest; null if there are too many.
 */
export const polarityWarnings = (
  { description, instructions, scale, statements }: LintedMetric,
  { levels }: Rubric,
  levelsByAnswers: readonly (Level | null)[] | null,
): readonly LintWarning[] => {
  if (statements.length > 0) {
    return statements.flatMap(({ text }, index) =>
      levelsByAnswers !== null && gainOfYes(levelsByAnswers, index) > 0
        ? warningAt(["statements", index, "text"], text, yesIsBetter)
        : [],
    );
  }
  if (scale.length === 0) {
    const isInInstructions = firstQuestion(description) === null && firstQuestion(instructions) !== null;
    const [field, text] = isInInstructions ? ["instructions", instructions] : ["description", description];
    return warningAt([field], firstQuestion(text)?.yes ?? text, yesIsBetter);
  }
  const [best, worst] = [levels[0], levels.at(-1)];
  if (best === undefined || worst === undefined || best.value === worst.value) return [];
  const textOf = ({ name, meaning }: Level): string => `${name}: ${meaning}`;
  if (blameWord(textOf(worst)) !== null) return [];
  const index = Math.max(
    0,
    scale.findIndex(({ label }) => label === best.name),
  );
  const advice = `this level has the highest value, ${best.value}: the worst records would succeed. Exchange the values.`;
  return warningAt(["scale", index, "value"], textOf(best), advice);
};
