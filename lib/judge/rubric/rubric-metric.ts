import { object, parse, type ObjectEntries, type ObjectSchema } from "valibot";
import type { Rubric, StatementAnswer } from "../../domain/metrics/rubric.ts";
import type { JsonObject } from "../../domain/json.ts";
import { defineMetric, type JudgedMetric, type Material } from "../metric/metric.ts";
import type { Answer } from "../question/answer.ts";
import { exampleText, statementsExplained, statementsField } from "./rubric-question.ts";
import { rubricScore } from "./rubric-score.ts";

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
