import type { Level, Rubric, RuleLine } from "../rubric.ts";
import { clauseOf } from "../../text.ts";
import { yesNoLevels, type StatementInput } from "./definition.ts";

/** Parts of a custom metric that its rubric is built from. Empty statements and a null rule are filled in. */
export interface RubricInput {
  readonly levels: readonly Level[];
  readonly statements: readonly StatementInput[];
  readonly rule: readonly RuleLine[] | null;
  readonly otherwise: string | null;
}

/** Creates a statement for each level except the lowest; the statement asks if at least that level is reached. */
const levelStatements = (levels: readonly Level[]): readonly StatementInput[] =>
  levels === yesNoLevels
    ? [{ name: "holds", text: "Is what is asked so?", yes: "it is", no: "it is not", expected: "yes" }]
    : levels.slice(0, -1).map(({ name, meaning }, index) => ({
        name: `level_${levels.length - index}`,
        text: `Does the record bear out "${name}" or better?`,
        yes: clauseOf(meaning),
        no: "it falls short of that",
        expected: "yes",
      }));

/** Creates a rule that requires more of the expected answers the higher the level is. */
const countRule = (levels: readonly Level[], statements: readonly StatementInput[]): readonly RuleLine[] => {
  const answers = Object.fromEntries(statements.map(({ name, expected }) => [name, expected]));
  const steps = levels.length - 1;
  return levels.slice(0, -1).map(({ name }, index) => ({
    level: name,
    answers,
    least: Math.ceil((statements.length * (steps - index)) / steps),
  }));
};

/**
 * Builds the rubric of a custom metric. Without statements, one is created for each level except the lowest, and the
 * highest level answered with yes is chosen. Without a rule, the level follows from the number of expected answers:
 * all give the highest level, too few for the last but one give `otherwise`.
 */
export const rubricOf = ({
  levels: inputLevels,
  statements: inputStatements,
  rule,
  otherwise,
}: RubricInput): Rubric => {
  const levels = inputLevels === yesNoLevels ? inputLevels : inputLevels.toSorted((a, b) => b.value - a.value);
  const lowest = levels.at(-1)?.name ?? "";
  const statements = inputStatements.length > 0 ? inputStatements : levelStatements(levels);
  const lines =
    rule ??
    (inputStatements.length > 0
      ? countRule(levels, statements)
      : levels.slice(0, -1).map(({ name }, index): RuleLine => {
          const statement = statements[index];
          return { level: name, answers: statement === undefined ? {} : { [statement.name]: "yes" } };
        }));
  return {
    levels,
    statements: statements.map(({ name, text, yes, no }) => ({ name, text, yes: clauseOf(yes), no: clauseOf(no) })),
    rule: lines,
    otherwise: otherwise ?? lowest,
  };
};
