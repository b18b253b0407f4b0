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
import { maxCitations } from "../verdict/evidence.ts";
import { statementAnswers, type Rubric, type StatementAnswer } from "../../domain/metrics/rubric.ts";

/** A judge's answer to one statement; evidence and reason come before the answer. */
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

/** Returns the number of quotations to request per statement, in words; their total stays within `maxCitations`. */
const quotationsOf = ({ length }: Rubric["statements"]): string =>
  2 * length <= maxCitations ? "two short quotations or span numbers" : "one short quotation or span number";

/** Returns the schema of an answer's `statements` field: an object with one entry per statement of a rubric. */
export const statementsField = <S extends string>({
  statements,
}: Rubric<string, S>): ObjectSchema<Readonly<Record<S, AnsweredSchema>>, undefined> =>
  object(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names of the statements, as their type says.
    Object.fromEntries(
      statements.map(({ name }) => [
        name,
        object({ evidence: array(string()), reason: string(), answer: picklist(statementAnswers) }),
      ]),
    ) as Record<S, AnsweredSchema>,
  );

/** Formats the statements of a rubric, one per line. */
export const statementLines = ({ statements }: Pick<Rubric, "statements">): string =>
  statements.map(({ name, text, yes, no }) => `  ${name}: ${text} yes: ${yes}; no: ${no}.`).join("\n");

/** Explains the `statements` field of the answer in a question. */
export const statementsExplained = (rubric: Pick<Rubric, "statements">): string =>
  [
    `- statements: each of these, in order: up to ${quotationsOf(rubric.statements)} as its evidence, those against it first; its reason, one sentence; its answer, "yes", "no" or "cannot_tell".`,
    statementLines(rubric),
  ].join("\n");

/** A worked example of a question: another trace, and the answer about it. */
export interface Example {
  /** Summary of the example's trace, one or two sentences. */
  readonly record: string;
  /** The complete answer of the example. */
  readonly answer: object;
}

/** Formats the worked example of a question. */
export const exampleText = ({ record, answer }: Example): string =>
  `Example, of another record. ${record}\n${JSON.stringify(answer)}`;
