import type { Level, Rubric, RuleLine } from "../rubric.ts";
import { yesNoLevels, type StatedStatement } from "./definition.ts";

/** What a rubric is made of; a rule and statements that are missing are made. */
export interface StatedRubric {
  readonly levels: readonly Level[];
  readonly statements: readonly StatedStatement[];
  readonly rule: readonly RuleLine[] | null;
  readonly otherwise: string | null;
}

const clause = (text: string): string => text.trim().replace(/[.\s]+$/u, "");

/** A statement for each level but the lowest: whether the record is at least of it. */
const ladder = (levels: readonly Level[]): readonly StatedStatement[] =>
  levels === yesNoLevels
    ? [{ name: "holds", text: "Is what is asked so?", yes: "it is", no: "it is not", expected: "yes" }]
    : levels.slice(0, -1).map(({ name, meaning }, place) => ({
        name: `level_${levels.length - place}`,
        text: `Does the record bear out "${name}" or better?`,
        yes: clause(meaning),
        no: "it falls short of that",
        expected: "yes",
      }));

/** As many of the expected answers as a level's place on the scale asks for. */
const byCount = (levels: readonly Level[], statements: readonly StatedStatement[]): readonly RuleLine[] => {
  const answers = Object.fromEntries(statements.map(({ name, expected }) => [name, expected]));
  const steps = levels.length - 1;
  return levels.slice(0, -1).map(({ name }, place) => ({
    level: name,
    answers,
    least: Math.ceil((statements.length * (steps - place)) / steps),
  }));
};

/**
 * The rubric of a metric. Without statements there is one for each level but the lowest, and the highest that is borne out gives
 * the level; without a rule the level follows from how many statements are answered as expected: all of them give the highest,
 * none the lowest.
 */
export const rubricOf = ({ levels: given, statements: stated, rule, otherwise }: StatedRubric): Rubric => {
  const levels = given === yesNoLevels ? given : given.toSorted((a, b) => b.value - a.value);
  const lowest = levels.at(-1)?.name ?? "";
  const statements = stated.length > 0 ? stated : ladder(levels);
  const lines =
    rule ??
    (stated.length > 0
      ? byCount(levels, statements)
      : levels.slice(0, -1).map(({ name }, place): RuleLine => {
          const statement = statements[place];
          return { level: name, answers: statement === undefined ? {} : { [statement.name]: "yes" } };
        }));
  return {
    levels,
    statements: statements.map(({ name, text, yes, no }) => ({ name, text, yes: clause(yes), no: clause(no) })),
    rule: lines,
    otherwise: otherwise ?? lowest,
  };
};
