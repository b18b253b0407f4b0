import { decide, type Rubric, statementAnswers, type StatementAnswer } from "../../domain/metrics/rubric.ts";
import type { JsonObject } from "../../domain/json.ts";
import { type NoScore, type MetricScore, defineMetric, type JudgedMetric, type Material } from "../metric/metric.ts";
import { rubricDecision } from "./rubric-decision.ts";
import {
  array,
  object,
  picklist,
  string,
  type ArraySchema,
  type ObjectSchema,
  type PicklistSchema,
  type StringSchema,
  parse,
  type ObjectEntries,
} from "valibot";
import { maxCitations } from "../verdict/evidence.ts";
import type { Answer } from "../question/answer.ts";

const quotedList = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/** Removes repeated texts, keeping their order. */
const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts.map((text) => text.trim()))];

/**
 * Scores a judge's answers to the statements of a rubric: the rule selects a level, and the reason names the statements that
 * decided. No score if answers of `cannot_tell` leave the level undecided.
 */
export const rubricScore = (
  rubric: Rubric,
  statementAnswers: Readonly<Record<string, AnsweredStatement>>,
  details: JsonObject,
): MetricScore | NoScore => {
  const answers = Object.fromEntries(Object.entries(statementAnswers).map(([name, { answer }]) => [name, answer]));
  const reasonsOf = (names: readonly string[]): readonly string[] =>
    names.map((name) => statementAnswers[name]?.reason ?? "");
  const decision = decide(rubric, answers);
  if (decision.kind === "open") {
    const { statements } = decision;
    const texts = rubric.statements.flatMap(({ name, text }) => (statements.includes(name) ? [text] : []));
    return {
      value: null,
      code: "insufficient_evidence",
      reason: `The judge cannot tell from what it was shown: ${unique([...texts, ...reasonsOf(statements)]).join(" ")}`,
      details: { statements: answers },
    };
  }
  const { level, by: decisive } = decision;
  const otherNames = rubric.statements.map(({ name }) => name).filter((name) => !decisive.includes(name));
  const reasons = unique(reasonsOf([...decisive, ...otherNames])).join(" ");
  const [yesNames, noNames] = (["yes", "no"] as const).map((answer) =>
    decisive.filter((name) => answers[name] === answer),
  );
  const decisiveAnswers = [
    ...(yesNames?.length ? [`${quotedList(yesNames)}: yes`] : []),
    ...(noNames?.length ? [`${quotedList(noNames)}: no`] : []),
  ].join(", ");
  const namesByCitation = new Map<string, string[]>();
  for (const [name, { evidence }] of Object.entries(statementAnswers)) {
    for (const text of new Set(evidence)) namesByCitation.set(text, [...(namesByCitation.get(text) ?? []), name]);
  }
  const score: MetricScore = {
    value: level.value,
    ...(rubric.isNominal && { category: level.name }),
    reason: `${reasons} (${level.name}, by ${decisiveAnswers}.)`,
    details: {
      ...details,
      level: level.name,
      statements: answers,
      evidence: [...namesByCitation.keys()],
    },
    citedStatements: [...namesByCitation.values()],
  };
  return score;
};

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

/** An answer to a statement in a rubric metric's worked example. */
type ExampleAnswer = readonly [evidence: readonly string[], reason: string, answer: StatementAnswer];

/** A judged metric as data: its question, its yes/no statements and the rule that maps their answers to a level. */
interface RubricMetric<Name extends string, L extends string, S extends string, E extends ObjectEntries> extends Pick<
  JudgedMetric,
  "description" | "category" | "threshold"
> {
  readonly name: Name;
  readonly needs?: JudgedMetric["needs"];
  readonly sees?: JudgedMetric["sees"];
  readonly inapplicable?: JudgedMetric["inapplicable"];
  /** The metric's question, one sentence that ends with a question mark. */
  readonly question: string;
  /** Instructions for the judge, in whole sentences; may be empty. */
  readonly instructions: string;
  /** What a decision model, which is shown no extractions, is told that the statements judge; question and instructions when absent. */
  readonly criterion?: string;
  /** Fields of the answer that the judge fills before the statements, with their schemas and explanations. */
  readonly notes: { readonly schemas: E; readonly explained: Readonly<Record<keyof E & string, string>> };
  readonly rubric: Rubric<L, S>;
  /** A worked example for the prompt: another trace in one or two sentences, and the full answer about it. */
  readonly example: {
    readonly record: string;
    readonly notes: Answer<ObjectSchema<E, undefined>>;
    readonly statements: Readonly<Record<NoInfer<S>, ExampleAnswer>>;
  };
  /** Returns the score's metadata besides level, statements and evidence; the notes when absent. */
  readonly details?: (notes: Answer<ObjectSchema<E, undefined>>, material: Material) => JsonObject;
}

/** Builds a judged metric from a rubric: its question, the schema of its answer and its scoring. */
export const defineRubricMetric = <
  const Name extends string,
  L extends string,
  S extends string,
  E extends ObjectEntries,
>({
  question,
  instructions,
  criterion = `${question} ${instructions}`.trim(),
  notes,
  rubric,
  example,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value was parsed from JSON.
  details = (values) => values as JsonObject,
  ...metric
}: RubricMetric<Name, L, S, E>): JudgedMetric & { readonly name: Name } => {
  const notesSchema = object(notes.schemas);
  const statementsSchema = object({ statements: statementsField(rubric) });
  const answers = Object.entries<ExampleAnswer>(example.statements).map(([name, [evidence, reason, answer]]) => [
    name,
    { evidence, reason, answer },
  ]);
  return defineMetric({
    ...metric,
    rubric,
    criterion,
    decisionForm: rubricDecision(rubric),
    question: [
      `Question: ${question}`,
      ...(instructions === "" ? [] : [instructions]),
      [
        "Fill the fields in this order.",
        ...Object.entries(notes.explained).map(([name, text]) => `- ${name}: ${text}`),
        statementsExplained(rubric),
      ].join("\n"),
      exampleText({ record: example.record, answer: { ...example.notes, statements: Object.fromEntries(answers) } }),
    ].join("\n\n"),
    answer: object({ ...notes.schemas, ...statementsSchema.entries }),
    score: (answer, material) =>
      rubricScore(rubric, parse(statementsSchema, answer).statements, details(parse(notesSchema, answer), material)),
  });
};
