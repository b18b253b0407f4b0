import {
  array,
  object,
  picklist,
  string,
  type ArraySchema,
  type ObjectSchema,
  type PicklistSchema,
  type StringSchema,
} from "valibot";
import { mostCited } from "../verdict/evidence.ts";
import { statementAnswers, type Rubric, type StatementAnswer } from "../../domain/metrics/rubric.ts";

/** How a judge answers a statement: evidence and reason come before the answer. */
export interface AnsweredStatement {
  readonly evidence: readonly string[];
  readonly reason: string;
  readonly answer: StatementAnswer;
}

type AnsweredSchema = ObjectSchema<
  {
    readonly evidence: ArraySchema<StringSchema<undefined>, undefined>;
    readonly reason: StringSchema<undefined>;
    readonly answer: PicklistSchema<typeof statementAnswers, undefined>;
  },
  undefined
>;

/** Quotations that are asked for to each statement: no more altogether than are looked up. */
const quotationsOf = ({ length }: Rubric["statements"]): string =>
  2 * length <= mostCited ? "two short quotations or span numbers" : "one short quotation or span number";

/** The field of an answer that holds those to a rubric's statements, by name. */
export const statementsField = <S extends string>({
  statements,
}: Rubric<string, S>): ObjectSchema<Readonly<Record<S, AnsweredSchema>>, undefined> =>
  object(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the statements, as their type says.
    Object.fromEntries(
      statements.map(({ name }) => [
        name,
        object({ evidence: array(string()), reason: string(), answer: picklist(statementAnswers) }),
      ]),
    ) as Record<S, AnsweredSchema>,
  );

/** A rubric's statements, a line for each. */
export const statementLines = ({ statements }: Pick<Rubric, "statements">): string =>
  statements.map(({ name, text, yes, no }) => `  ${name}: ${text} yes: ${yes}; no: ${no}.`).join("\n");

/** The field of the statements as a question explains it. */
export const statementsExplained = (rubric: Pick<Rubric, "statements">): string =>
  [
    `- statements: each of these, in order: up to ${quotationsOf(rubric.statements)} as its evidence, those against it first; its reason, one sentence; its answer, "yes", "no" or "cannot_tell".`,
    statementLines(rubric),
  ].join("\n");

/** An answer of another record, as a question shows it. */
export interface Example {
  /** What that record tells, one or two sentences. */
  readonly record: string;
  /** The whole answer. */
  readonly answer: object;
}

/** The worked example of a question. */
export const exampleText = ({ record, answer }: Example): string =>
  `Example, of another record. ${record}\n${JSON.stringify(answer)}`;
