import * as v from "valibot";
import { evidenceKinds, customMetricKinds, scaleTypes } from "../../domain/metrics/custom/definition.ts";
import { customMetricNamePattern } from "../../domain/metrics/custom/reference.ts";
import { statementAnswers } from "../../domain/metrics/rubric.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { closedObject } from "../schema/closed-object.ts";
import { dictionaryOf, jsonObject, listOf, numberBetween, oneOf, text } from "../schema/fields.ts";
import { describedAs } from "../schema/json-schema.ts";
import { dryRunField } from "../list-query.ts";
import { plainText } from "../schema/plain-text.ts";
import { runSettings } from "../runs/settings.ts";

/** Schema of the name of a custom metric. */
export const customMetricName = v.pipe(
  text(64, 1),
  v.regex(
    customMetricNamePattern,
    "String should be lower-case letters, digits and underscores, beginning with a letter",
  ),
);

const wordPattern = /^[a-z][a-z0-9_]{0,39}$/;

/** Schema of the name of a statement in a rubric. */
const statementName = v.pipe(
  text(40, 1),
  v.regex(wordPattern, "String should be lower-case letters, digits and underscores, beginning with a letter"),
);

const level = closedObject({
  label: plainText(40),
  meaning: v.pipe(text(500, 1), v.description("Meaning of the level, as a clause.")),
  value: v.nullish(numberBetween(0, 1)),
});

const yesNoScaleInputs = ["yes_no", null, undefined];

const levelSchema = {
  type: "object",
  properties: {
    label: { type: "string", minLength: 1, maxLength: 40 },
    meaning: { type: "string", minLength: 1, maxLength: 500 },
    value: { anyOf: [{ type: "number", minimum: 0, maximum: 1 }, { type: "null" }] },
  },
  required: ["label", "meaning"],
  additionalProperties: false,
} as const;

/** Schema of a metric's scale: two to seven levels, or an empty list for yes and no. */
const scale = v.pipe(
  v.unknown(),
  v.transform((input) => (yesNoScaleInputs.some((none) => none === input) ? [] : input)),
  listOf(level, 7),
  v.check((levels) => levels.length !== 1, "List should have at least 2 items after validation"),
  describedAs({
    anyOf: [
      { type: "string", enum: ["yes_no"] },
      { type: "null" },
      // One list: generated Java declares the items' type once for each.
      { type: "array", maxItems: 7, not: { minItems: 1, maxItems: 1 }, items: levelSchema },
    ],
    description:
      "`yes_no`, the default, or two to seven levels with a unique label, a meaning and a score value each. Categories of a nominal metric need no value.",
  }),
);

const scaleType = v.pipe(
  oneOf(scaleTypes),
  v.description(
    "`order`: the levels lie in an order, and their values are scores. `nominal`: they are categories; a score is CATEGORICAL, its value is " +
      "the label, and there are counts, but neither a mean nor a success. Without statements the judge is asked for each category, and the " +
      "first one that fits counts, else the last.",
  ),
);

const statement = closedObject({
  name: v.nullish(
    v.pipe(statementName, v.description("Name of the statement; `statement_1`, `statement_2` and so on if absent.")),
  ),
  text: v.pipe(text(500, 1), v.description("A question with the answer yes or no.")),
  yes: v.nullish(v.pipe(text(300, 1), v.description("Meaning of yes, as a clause."))),
  no: v.nullish(v.pipe(text(300, 1), v.description("Meaning of no, as a clause."))),
  expected: v.optional(
    v.pipe(
      oneOf(["yes", "no"]),
      v.description("Answer that counts toward the higher levels if the metric has no rule."),
    ),
    "yes",
  ),
});

const yesNo = oneOf(["yes", "no"]);

const ruleLine = closedObject({
  level: text(40, 1),
  answers: v.pipe(dictionaryOf(yesNo), v.description("Required answers, yes or no, by statement name.")),
  least: v.nullish(
    v.pipe(
      numberBetween(1, 10),
      v.integer("Input should be a valid integer"),
      v.description("Minimum number of answers that must match; all if absent."),
    ),
  ),
});

const example = closedObject({
  record: v.pipe(text(2000, 1), v.description("Summary of an example record, in one or two sentences.")),
  answers: v.pipe(
    dictionaryOf(oneOf(statementAnswers)),
    v.description("Answers to all statements by name: yes, no or cannot_tell."),
  ),
  reason: v.optional(v.pipe(text(500), v.description("Reason for the answers, in one sentence.")), ""),
});

const kind = v.pipe(
  oneOf(customMetricKinds),
  v.description(
    "`judge`: a judge model answers the statements. `check`: conditions on a trace, without a judge. `fold`: an aggregate of the scores of a session's traces, without a judge.",
  ),
);

const description = v.pipe(text(500, 1), v.description("Description of the metric in one sentence."));

const instructions = v.pipe(
  text(8000),
  v.description(
    "Instructions for the judge, placed outside of the delimiters around the trace, which they cannot override.",
  ),
);

const statements = v.pipe(
  listOf(statement, 10),
  v.description(
    "Statements that the judge answers with yes, no or cannot_tell, each with evidence and a reason. An empty list gives one " +
      "statement per level except the lowest.",
  ),
);

const evidence = v.pipe(
  listOf(oneOf(evidenceKinds), evidenceKinds.length, 1),
  v.description(
    "Parts of a trace that the judge sees; the whole transcript by default. `expected_output` shows beside them what the dataset's item " +
      "expects which the trace names (`assay.dataset`, `assay.experiment`, `assay.experiment.item`), as it was when the first trace of the " +
      "experiment started, up to 20,000 characters; with it the metric is not applicable to traces without one (`no_expected_output`): null and an empty text are none.",
  ),
);

const threshold = v.pipe(numberBetween(0, 1), v.description("Minimum score that counts as a success."));

const examples = listOf(example, 5);

/** Fields of which null is the same as absent. */
const nullableFields = {
  rule: v.nullish(
    v.pipe(
      listOf(ruleLine, 30, 1),
      v.description(
        "Lines from answers to a level; the first line that matches gives the level. Without a rule the level follows from the number " +
          "of statements answered as expected: all give the highest level, and of k levels each lower one needs 1/(k - 1) of them less, " +
          "rounded up. What reaches none of these gives `otherwise`, the lowest level by default: with two levels, anything but all.",
      ),
    ),
  ),
  otherwise: v.nullish(
    v.pipe(text(40, 1), v.description("Level if no line of the rule matches; the lowest if absent.")),
  ),
  check: v.nullish(
    v.pipe(
      jsonObject,
      v.description(
        "Condition of a metric of kind `check`. Where a trace lacks the input of a condition, the condition is not applicable, or has the " +
          "result that its field `absent` names: `pass` or `fail`. A demanded call of a tool fails without it. The types `contains`, `lacks`, " +
          "`equals`, `equals_ignoring_case`, `json_equals` (values of JSON: neither the order of keys nor the form of numbers matters) and " +
          "`similarity_at_least` (`similarity` from 0 to 1: 1 less the edits by the characters of the longer text, for texts of up to 10,000 by " +
          "10,000 characters) compare the texts that `of` names (`output` by default, `input`, `expected_output`, `span_outputs`, " +
          "`span_inputs`) with `text`, or with the text that `reference` names: `expected_output`, `output` or `input`. The expected output is " +
          "that of the dataset's item which the trace names, as it was when the first trace of the experiment started: a check that names it " +
          "is not applicable to other traces (`no_expected_output`), nor where it is null or an empty text. Where the output is empty it fails, " +
          "but `lacks`, and what `not` negates, is not applicable. The other types: `matches` (`pattern`, `ignore_case`), `length` (`min` and " +
          "`max` characters) and `json` (`schema`) of the texts that `of` names; `latency_ms`, `cost_usd` and `tokens` (`min`, `max`); " +
          "`tool_calls` and `retries` (`tool`, `min`, `max`), `required_tool` (`tool`), `tool_before` (`tool`, `before`), `error_rate` (`over`: " +
          "`spans` or `tools`; `min`, `max`) and `documents_cited` (`min`, `min_share`). `all`, `any` and `not` join them: " +
          '`{"all": [{"type": "required_tool", "tool": "search"}, {"type": "latency_ms", "max": 5000}]}`. ' +
          "Results that a running trace can still change are not scored.",
      ),
    ),
  ),
  fold: v.nullish(
    v.pipe(
      jsonObject,
      v.description(
        "Aggregation of a metric of kind `fold`: `over` is the name of the trace scores, `by` is `min`, `mean` or `share_at_least` (the " +
          "share of scores of `at_least` or more, a number from 0 to 1). Deprecated: `share_below` with `below`, which gives the share of " +
          "scores that are not below, as `share_at_least` does. It covers the newest 100 traces of the session and of each trace the " +
          "newest score of that name that is applicable, a number from 0 to 1, and not stale or set by a person, regardless of its source " +
          "and of the run's model. These scores are the `signals` of the session's score.",
      ),
    ),
  ),
  model: runSettings.update.model,
};

const definitionFields = {
  name: customMetricName,
  target_type: v.optional(oneOf(targetTypes), "TRACE"),
  kind: v.optional(kind, "judge"),
  description,
  instructions: v.optional(instructions, ""),
  scale_type: v.optional(scaleType, "order"),
  scale: v.optional(scale, "yes_no"),
  statements: v.optional(statements, []),
  evidence: v.optional(evidence, ["transcript"]),
  threshold: v.optional(threshold, 0.5),
  examples: v.optional(examples, []),
  ...nullableFields,
};

const exampleMetric = {
  name: "polite_refusal",
  target_type: "TRACE" as const,
  kind: "judge" as const,
  description: "Evaluates whether the agent declines politely what it may not do.",
  instructions: "The agent books flights. It may not change a passenger's name.",
  scale_type: "order" as const,
  scale: [
    { label: "good", meaning: "the agent declined and said what to do instead", value: 1 },
    { label: "fair", meaning: "the agent declined without an alternative", value: 0.5 },
    { label: "poor", meaning: "the agent changed the name", value: 0 },
  ],
  statements: [
    { name: "declined", text: "Did the agent decline to change the name?", expected: "yes" as const },
    { name: "alternative", text: "Did the agent say what the user can do instead?", expected: "yes" as const },
  ],
  evidence: ["transcript" as const],
  threshold: 0.5,
  examples: [],
};

/** Schema of a definition within a body. */
export const customMetricDefinition = v.pipe(
  closedObject(definitionFields),
  v.title("CustomMetricDefinition"),
  v.examples([exampleMetric]),
);

/** Schema of a custom metric to create. */
export const customMetricInput = v.pipe(
  closedObject({ ...definitionFields, ...dryRunField }),
  v.title("CustomMetricInput"),
  v.examples([exampleMetric]),
);

/** Schema of changes to a custom metric. */
export const customMetricUpdate = v.pipe(
  closedObject({
    description: v.optional(description),
    instructions: v.optional(instructions),
    scale_type: v.optional(scaleType),
    scale: v.optional(scale),
    statements: v.optional(statements),
    evidence: v.optional(evidence),
    threshold: v.optional(threshold),
    examples: v.optional(examples),
    ...nullableFields,
    ...dryRunField,
  }),
  v.title("CustomMetricUpdate"),
  v.description(
    "Changes to a custom metric; absent fields keep their values. Null resets `rule` and `otherwise` to the defaults of the " +
      "statements, and clears `model`.",
  ),
  v.examples([{ threshold: 0.8, statements: [{ name: "declined", text: "Did the agent decline?", expected: "yes" }] }]),
);

export type CustomMetricUpdate = v.InferOutput<typeof customMetricUpdate>;
