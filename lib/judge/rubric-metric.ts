import { object, parse, type ObjectEntries, type ObjectSchema } from "valibot";
import type { Rubric, StatementAnswer } from "../domain/metrics/rubric.ts";
import type { JsonObject } from "../domain/json.ts";
import { defineMetric, type JudgedMetric, type Material } from "./metric.ts";
import type { Answer } from "./question/answer.ts";
import { exampleText, statementsExplained, statementsField } from "./question/rubric-question.ts";
import { rubricScore } from "./verdict/rubric-score.ts";

/** How an example answers a statement. */
type ExampleAnswer = readonly [evidence: readonly string[], reason: string, answer: StatementAnswer];

/** A metric as data: what is asked, which statements are answered, and how a level follows from them. */
interface RubricMetric<Name extends string, L extends string, S extends string, E extends ObjectEntries> extends Pick<
  JudgedMetric,
  "description" | "category" | "threshold"
> {
  readonly name: Name;
  readonly needs?: JudgedMetric["needs"];
  readonly sees?: JudgedMetric["sees"];
  readonly inapplicable?: JudgedMetric["inapplicable"];
  /** A sentence that ends with a question mark. */
  readonly asks: string;
  /** What the judge has to know besides, whole sentences. */
  readonly instructions: string;
  /** What is noted of the material before the statements are answered, and how the question explains each. */
  readonly notes: { readonly schemas: E; readonly explained: Readonly<Record<keyof E & string, string>> };
  readonly rubric: Rubric<L, S>;
  /** A record in one or two sentences, and its whole answer. */
  readonly example: {
    readonly record: string;
    readonly notes: Answer<ObjectSchema<E, undefined>>;
    readonly statements: Readonly<Record<NoInfer<S>, ExampleAnswer>>;
  };
  /** What the metadata have besides level, statements and evidence; the notes when absent. */
  readonly details?: (notes: Answer<ObjectSchema<E, undefined>>, material: Material) => JsonObject;
}

/** The engine of metrics that are data: the question, the form of its answer and the score follow from the definition. */
export const defineRubricMetric = <
  const Name extends string,
  L extends string,
  S extends string,
  E extends ObjectEntries,
>({
  asks,
  instructions,
  notes,
  rubric,
  example,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed of JSON.
  details = (noted) => noted as JsonObject,
  ...metric
}: RubricMetric<Name, L, S, E>): JudgedMetric & { readonly name: Name } => {
  const noted = object(notes.schemas);
  const answered = object({ statements: statementsField(rubric) });
  const answers = Object.entries<ExampleAnswer>(example.statements).map(([name, [evidence, reason, answer]]) => [
    name,
    { evidence, reason, answer },
  ]);
  return defineMetric({
    ...metric,
    rubric,
    question: [
      `Question: ${asks}`,
      ...(instructions === "" ? [] : [instructions]),
      [
        "Fill the fields in this order.",
        ...Object.entries(notes.explained).map(([name, text]) => `- ${name}: ${text}`),
        statementsExplained(rubric),
      ].join("\n"),
      exampleText({ record: example.record, answer: { ...example.notes, statements: Object.fromEntries(answers) } }),
    ].join("\n\n"),
    answer: object({ ...notes.schemas, ...answered.entries }),
    score: (answer, material) =>
      rubricScore(rubric, parse(answered, answer).statements, details(parse(noted, answer), material)),
  });
};
