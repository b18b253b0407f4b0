import * as v from "valibot";
import { evidenceKinds, customKinds } from "../../domain/metrics/custom/definition.ts";
import { customNamePattern } from "../../domain/metrics/custom/reference.ts";
import { statementAnswers } from "../../domain/metrics/rubric.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { dictionaryOf, jsonObject, listOf, numberBetween, oneOf, text } from "../fields.ts";
import { inJson } from "../json-schema.ts";
import { plainText } from "../plain-text.ts";
import { model } from "../runs/fields.ts";

/** The name of a metric of one's own. */
export const customMetricName = v.pipe(
  text(64, 1),
  v.regex(customNamePattern, "String should be lower-case letters, digits and underscores, beginning with a letter"),
);

const wordPattern = /^[a-z][a-z0-9_]{0,39}$/;

/** The name of a statement. */
const statementName = v.pipe(
  text(40, 1),
  v.regex(wordPattern, "String should be lower-case letters, digits and underscores, beginning with a letter"),
);

const level = v.object({
  label: plainText(40),
  meaning: v.pipe(text(500, 1), v.description("What the level means, as a clause.")),
  value: numberBetween(0, 1),
});

const noScale = ["yes_no", null, undefined];

/** Two to seven levels; an empty list is yes and no. */
const scale = v.pipe(
  v.unknown(),
  v.transform((given) => (noScale.some((none) => none === given) ? [] : given)),
  listOf(level, 7),
  v.check((levels) => levels.length !== 1, "List should have at least 2 items after validation"),
  inJson({
    anyOf: [
      { type: "null" },
      { type: "string", enum: ["yes_no"] },
      { type: "array", maxItems: 0 },
      {
        type: "array",
        minItems: 2,
        maxItems: 7,
        items: {
          type: "object",
          properties: {
            label: { type: "string", minLength: 1, maxLength: 40 },
            meaning: { type: "string", minLength: 1, maxLength: 500 },
            value: { type: "number", minimum: 0, maximum: 1 },
          },
          required: ["label", "meaning", "value"],
        },
      },
    ],
    description:
      "`yes_no`, or two to seven levels, each with a label of its own, what it means, and the value it scores.",
  }),
);

const statement = v.object({
  name: v.nullish(v.pipe(statementName, v.description("`statement_1` and so on where it is absent."))),
  text: v.pipe(text(500, 1), v.description("One question that is answered with yes or no.")),
  yes: v.nullish(v.pipe(text(300, 1), v.description("What a yes means, as a clause."))),
  no: v.nullish(v.pipe(text(300, 1), v.description("What a no means, as a clause."))),
  expected: v.optional(
    v.pipe(
      oneOf(["yes", "no"]),
      v.description("The answer that speaks for the higher levels, where no rule is given."),
    ),
    "yes",
  ),
});

const yesNo = oneOf(["yes", "no"]);

const ruleLine = v.object({
  level: text(40, 1),
  answers: v.pipe(dictionaryOf(yesNo), v.description("By the name of a statement: yes or no.")),
  least: v.nullish(
    v.pipe(
      numberBetween(1, 10),
      v.integer("Input should be a valid integer"),
      v.description("How many of the answers have to be given; all of them when absent."),
    ),
  ),
});

const example = v.object({
  record: v.pipe(text(2000, 1), v.description("What a record tells, in one or two sentences.")),
  answers: v.pipe(
    dictionaryOf(oneOf(statementAnswers)),
    v.description("How every statement is answered for it: yes, no or cannot_tell."),
  ),
  reason: v.optional(v.pipe(text(500), v.description("Why, one sentence.")), ""),
});

const kind = v.pipe(
  oneOf(customKinds),
  v.description(
    "`judge`: a judge answers the statements. `check`: conditions on a trace, free of cost. `fold`: scores of a session's traces, free of cost.",
  ),
);

const description = v.pipe(text(500, 1), v.description("What is evaluated, in one sentence."));

const instructions = v.pipe(
  text(8000),
  v.description(
    "What the judge has to know. It is said outside of the marks that a trace stands between, and cannot undo them.",
  ),
);

const statements = v.pipe(
  listOf(statement, 10),
  v.description(
    "What the judge answers with yes, no or that it cannot tell, each with evidence and a reason. Without any there is one for " +
      "each level but the lowest.",
  ),
);

const evidence = v.pipe(
  listOf(oneOf(evidenceKinds), 4, 1),
  v.description("What of a trace the judge is shown; all of it by default."),
);

const threshold = v.pipe(numberBetween(0, 1), v.description("A score of at least this is a success."));

const examples = listOf(example, 5);

/** What may be null: absent, and as it is without. */
const nullable = {
  rule: v.nullish(
    v.pipe(
      listOf(ruleLine, 30, 1),
      v.description(
        "The first line that holds gives the level. Without a rule it follows from how many statements are answered as expected: all " +
          "of them the highest, none the lowest.",
      ),
    ),
  ),
  otherwise: v.nullish(v.pipe(text(40, 1), v.description("The level where no line holds; the lowest when absent."))),
  check: v.nullish(v.pipe(jsonObject, v.description("The condition of a check."))),
  fold: v.nullish(
    v.pipe(
      jsonObject,
      v.description(
        "How a fold makes one score of many: `over`, the name of a score that the session's traces have; `by`, one of `min`, `mean` and " +
          "`share_below` (the share of scores that are not below `below`, a number from 0 to 1). Of each of the session's newest 100 traces " +
          "the newest score of the name counts that is a number from 0 to 1, applies, and was made of the trace as it is now or by a " +
          "person, whoever made it and whatever model the run names; they are the session's score's `signals`.",
      ),
    ),
  ),
  model,
};

/** A metric of one's own as it is sent. */
export const customMetricInput = v.pipe(
  v.object({
    name: customMetricName,
    target_type: v.optional(oneOf(targetTypes), "TRACE"),
    kind: v.optional(kind, "judge"),
    description,
    instructions: v.optional(instructions, ""),
    scale: v.optional(scale, "yes_no"),
    statements: v.optional(statements, []),
    evidence: v.optional(evidence, ["transcript"]),
    threshold: v.optional(threshold, 0.5),
    examples: v.optional(examples, []),
    ...nullable,
  }),
  v.title("CustomMetricInput"),
  v.examples([
    {
      name: "polite_refusal",
      target_type: "TRACE",
      kind: "judge",
      description: "Evaluates whether the agent declines politely what it may not do.",
      instructions: "The agent books flights. It may not change a passenger's name.",
      scale: [
        { label: "good", meaning: "the agent declined and said what to do instead", value: 1 },
        { label: "fair", meaning: "the agent declined without an alternative", value: 0.5 },
        { label: "poor", meaning: "the agent changed the name", value: 0 },
      ],
      statements: [
        { name: "declined", text: "Did the agent decline to change the name?", expected: "yes" },
        { name: "alternative", text: "Did the agent say what the user can do instead?", expected: "yes" },
      ],
      evidence: ["transcript"],
      threshold: 0.5,
      examples: [],
    },
  ]),
);

/** A change of one. */
export const customMetricUpdate = v.pipe(
  v.object({
    description: v.optional(description),
    instructions: v.optional(instructions),
    scale: v.optional(scale),
    statements: v.optional(statements),
    evidence: v.optional(evidence),
    threshold: v.optional(threshold),
    examples: v.optional(examples),
    ...nullable,
  }),
  v.title("CustomMetricUpdate"),
  v.description(
    "What changes of a metric; absent leaves a field as it is. Null resets `rule` and `otherwise` to what follows from the statements, " +
      "and clears `model`.",
  ),
  v.examples([{ threshold: 0.8, statements: [{ name: "declined", text: "Did the agent decline?", expected: "yes" }] }]),
);

export type CustomMetricUpdate = v.InferOutput<typeof customMetricUpdate>;
