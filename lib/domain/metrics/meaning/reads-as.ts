import { checkClause } from "../../checks/check-clause.ts";
import { readCheck } from "../../checks/read-check.ts";
import { abbreviate } from "../../text.ts";
import { readAggregate, shareBound } from "../aggregate.ts";
import type { AggregateMetricDefinition, CustomMetricDefinition, CustomMetricInput } from "../custom/definition.ts";
import type { Level, Rubric, RuleLine, YesNo } from "../rubric.ts";
import { answerClause, firstQuestion } from "./yes-no-question.ts";

/** Maximum characters of a reading. */
const maxLength = 2000;

const numberText = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : `${value}`);

type Statements = Rubric["statements"];

/** Describes the answers that a line of a rule requires. */
const lineClause = ({ answers, least }: RuleLine, statements: Statements): string => {
  const clauses = Object.entries<YesNo | undefined>(answers).flatMap(([name, answer]) => {
    const statement = statements.find((each) => each.name === name);
    return statement === undefined || answer === undefined ? [] : [answerClause(statement.text, answer)];
  });
  const required = least ?? clauses.length;
  if (required >= clauses.length) return clauses.join(" and ");
  return required === 1 ? clauses.join(" or ") : `at least ${required} of: ${clauses.join(", ")}`;
};

/** Describes the answers that are left if a rule has one line about one statement. */
const remainderClause = ({ rule, statements }: Rubric): string => {
  const [line, ...others] = rule;
  const [statement, ...otherStatements] = statements;
  const isSingle = others.length === 0 && otherStatements.length === 0;
  if (!isSingle || line === undefined || statement === undefined) return "otherwise";
  return answerClause(statement.text, line.answers[statement.name] === "yes" ? "no" : "yes");
};

const answersClause = (rubric: Rubric, { name }: Level): string =>
  [
    ...rubric.rule.filter(({ level }) => level === name).map((line) => lineClause(line, rubric.statements)),
    ...(rubric.otherwise === name ? [remainderClause(rubric)] : []),
  ].join(", or ");

/** Describes a level of a metric: its meaning, or the answers that lead to it; null if no rule leads to it. */
const levelClause = (rubric: Rubric, input: ReadInput, level: Level): string | null => {
  const isYesNo = input.scale.length === 0;
  if (input.statements.length > 0) {
    const answers = answersClause(rubric, level);
    if (answers === "") return null;
    return isYesNo ? answers : `${level.name}, ${answers === "otherwise" ? "" : "where "}${answers}`;
  }
  if (!isYesNo) return `${level.name}, ${level.meaning}`;
  const isReached = level.name === "yes" ? "yes" : "no";
  const question = firstQuestion(input.description) ?? firstQuestion(input.instructions);
  return question?.[isReached] ?? `the answer to "${abbreviate(input.description, 160)}" is ${isReached}`;
};

const aggregateReading = ({ fold: storedFold, threshold }: AggregateMetricDefinition): string => {
  const fold = readAggregate(storedFold, () => {});
  const bound = numberText(threshold);
  const share = `the share of the session's traces whose score of ${fold?.over} is ${fold && shareBound(fold)} or more`;
  const subjects = {
    min: `the lowest score of ${fold?.over} among the session's traces`,
    mean: `the mean score of ${fold?.over} over the session's traces`,
    share_at_least: share,
    share_below: share,
  };
  const subject = fold === null ? "the result" : subjects[fold.by];
  return `${bound} or more and success: ${subject} is at least ${bound}; less and failure: it is lower`;
};

/** The parts of a metric's input that tell which of its texts are the team's. */
type ReadInput = Pick<CustomMetricInput, "description" | "instructions" | "scale" | "statements">;

/**
 * Describes the scores of a custom metric from the highest to the lowest: value, success or failure, and meaning; of a nominal
 * metric its categories.
 *
 * @example
 * readsAs(definition, input); // "1.0 and success: the agent was rude; 0.0 and failure: the agent was not rude"
 */
export const readsAs = (definition: CustomMetricDefinition, input: ReadInput): string => {
  const { kind, threshold } = definition;
  if (kind === "fold") return aggregateReading(definition);
  const reading = (value: number, clause: string): string =>
    `${numberText(value)} and ${value >= threshold ? "success" : "failure"}: ${clause}`;
  if (kind === "check") {
    const { check } = readCheck(definition.check);
    return [reading(1, check === null ? "the check holds" : checkClause(check)), reading(0, "otherwise")].join("; ");
  }
  const { rubric } = definition;
  const readings = rubric.levels.flatMap((level) => {
    const clause = levelClause(rubric, input, level);
    return clause === null ? [] : [rubric.isNominal ? clause : reading(level.value, clause)];
  });
  return abbreviate(readings.join("; "), maxLength);
};
