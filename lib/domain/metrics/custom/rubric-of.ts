import type { Level, Rubric, RuleLine } from "../rubric.ts";
import { clauseOf } from "../../text.ts";
import { yesNoLevels, type StatementInput } from "./definition.ts";

/** Parts of a custom metric that its rubric is built from. Empty statements and a null rule are filled in. */
export interface RubricInput {
  readonly levels: readonly Level[];
  /** True for categories without an order. */
  readonly isNominal?: boolean;
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

/** Creates a statement for each category; the statement asks if it fits. */
const categoryStatements = (levels: readonly Level[]): readonly StatementInput[] =>
  levels.map(({ name, meaning }, index) => ({
    name: `category_${index + 1}`,
    text: `Is "${name}" the category that fits the record best?`,
    yes: clauseOf(meaning),
    no: "another category fits better",
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
 * all give the highest level, too few for the last but one give `otherwise`. Categories keep their order in the input: the
 * first one answered with yes is chosen, else the last.
 */
export const rubricOf = ({
  levels: inputLevels,
  isNominal = false,
  statements: inputStatements,
  rule,
  otherwise,
}: RubricInput): Rubric => {
  const levels =
    inputLevels === yesNoLevels || isNominal ? inputLevels : inputLevels.toSorted((a, b) => b.value - a.value);
  const lowest = levels.at(-1)?.name ?? "";
  const statements =
    inputStatements.length > 0 ? inputStatements : (isNominal ? categoryStatements : levelStatements)(levels);
  const lines =
    rule ??
    (inputStatements.length > 0
      ? countRule(levels, statements)
      : (isNominal ? levels : levels.slice(0, -1)).map(({ name }, index): RuleLine => {
          const statement = statements[index];
          return { level: name, answers: statement === undefined ? {} : { [statement.name]: "yes" } };
        }));
  return {
    levels,
    ...(isNominal && { isNominal }),
    statements: statements.map(({ name, text, yes, no }) => ({ name, text, yes: clauseOf(yes), no: clauseOf(no) })),
    rule: lines,
    otherwise: otherwise ?? lowest,
  };
};
