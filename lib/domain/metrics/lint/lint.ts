import type { CustomMetricDefinition, CustomMetricInput } from "../custom/definition.ts";
import { decide, type Level, type Rubric, type YesNo } from "../rubric.ts";
import { isEnglish } from "./language.ts";
import type { LintedMetric, LintWarning, LocatedText } from "./lint-warning.ts";
import { polarityWarnings } from "./polarity-warnings.ts";
import { isBlank, lintText } from "./text-warnings.ts";
import { computedThresholdWarnings, levelThresholdWarnings } from "./threshold-warnings.ts";

/** Maximum recommended characters of instructions, a statement and a description. */
const [longInstructions, longStatement, longDescription] = [3000, 200, 200] as const;

/** Maximum number of statements for which all combinations of answers are enumerated. */
const maxEnumeratedStatements = 12;

/** Matches the beginning of a second question behind "and" or "or". */
const secondQuestion =
  /\b(?:and|or|but|as well as)\s+(?:(?:also|then)\s+)?(?:did|do|does|is|was|are|were|has|have|had|can|could|should|would|will|must|not)\b/iu;
/** Matches two requests in one sentence. */
const doubleRequest = /\bboth\b.{1,300}?\band\b|\band\/or\b|\bas well as\b/iu;

/** Matches words for the expected output of a dataset's item. */
const expectation = /\b(?:expected|reference|golden) (?:answer|output|response)\b|\bground truth\b/iu;

/** Counts the question marks of a text, also those of other scripts. */
const questionMarks = (text: string): number => text.split(/[?？؟﹖՞]/u).length - 1;

const statementWarnings = (text: string, index: number): readonly LintWarning[] => {
  const field = ["statements", index, "text"];
  const warnings: LintWarning[] = [];
  if (questionMarks(text) > 1 || secondQuestion.test(text) || doubleRequest.test(text)) {
    const message =
      "This asks two things: where one is so and the other is not, no answer is right. Make a statement of each.";
    warnings.push({ field, rule: "two_questions", message });
  }
  if (questionMarks(text) === 0) {
    const message =
      "This is no question. Ask for one thing that can be answered with yes or no, and end with a question mark.";
    warnings.push({ field, rule: "question", message });
  }
  if (text.length > longStatement) {
    const message = `This has ${text.length} characters. Put what the judge has to know into the instructions, and ask in one short sentence.`;
    warnings.push({ field, rule: "length", message });
  }
  return warnings;
};

/**
 * Returns the level by the answers to the statements as bits, the first statement lowest, 1 for yes; null if there are
 * too many statements.
 */
const levelsOf = (rubric: Rubric): readonly (Level | null)[] | null => {
  const { statements } = rubric;
  if (statements.length > maxEnumeratedStatements) return null;
  return Array.from({ length: 2 ** statements.length }, (_, bits) => {
    const answers = Object.fromEntries(
      statements.map(({ name }, index): readonly [string, YesNo] => [name, (bits >> index) % 2 === 0 ? "no" : "yes"]),
    );
    const decision = decide(rubric, answers);
    return decision.kind === "level" ? decision.level : null;
  });
};

const lengthWarnings = ({ description, instructions }: LintedMetric): readonly LintWarning[] => [
  ...(instructions.length > longInstructions
    ? [
        {
          field: ["instructions"],
          rule: "length" as const,
          message: `The instructions have ${instructions.length} characters: every judgement pays for them, and long ones are followed less. What is asked belongs into statements.`,
        },
      ]
    : []),
  ...(description.length > longDescription
    ? [
        {
          field: ["description"],
          rule: "length" as const,
          message: "The description is for readers of lists: one sentence is enough.",
        },
      ]
    : []),
];

const repetitionWarnings = ({ statements }: LintedMetric): readonly LintWarning[] => {
  const texts = statements.map(({ text }) => text.trim().toLowerCase());
  return texts.flatMap((text, index) => {
    const first = texts.indexOf(text);
    if (first === index) return [];
    const message = `Statement ${first + 1} asks the same: its answer would count twice.`;
    return [{ field: ["statements", index, "text"], rule: "repeated", message }];
  });
};

/** Warns about levels with equal labels or with equal values. */
const similarLevelWarnings = ({ scale }: LintedMetric, { levels, isNominal }: Rubric): readonly LintWarning[] => {
  const labels = scale.map(({ label }) => label.trim().toLowerCase());
  const labelWarnings = labels.flatMap((label, index): readonly LintWarning[] => {
    const first = labels.indexOf(label);
    if (first === index) return [];
    const message = `Level ${first + 1} has this label too, but for its capitals: readers of scores will mix them up.`;
    return [{ field: ["scale", index, "label"], rule: "repeated", message }];
  });
  const values = new Set(levels.map(({ value }) => value));
  if (isNominal === true || values.size > 1) return labelWarnings;
  const message = `All levels have the value ${[...values].join()}: every record would score the same. Give each level a value of its own.`;
  return [...labelWarnings, { field: ["scale"], rule: "repeated", message }];
};

/** Warns about texts without a word, and of a language that the rules about words were not made for. */
const wordWarnings = (texts: readonly LocatedText[]): readonly LintWarning[] => {
  const blankTexts = texts.filter(([, text]) => text !== "" && isBlank(text));
  const foreignText = texts.find(([, text]) => !isEnglish(text));
  const languageMessage =
    "This does not look like English. The rules about words know English only and miss mistakes in it; a judge may read it well.";
  return [
    ...blankTexts.map(([field]): LintWarning => {
      const message = "This says nothing: readers of scores and the judge are left without it. Write one sentence.";
      return { field, rule: "blank", message };
    }),
    ...(foreignText === undefined
      ? []
      : [{ field: foreignText[0], rule: "language" as const, message: languageMessage }]),
  ];
};

/** Warns about texts that speak of an expected answer which the judge is not shown. */
const expectationWarnings = ({ evidence }: LintedMetric, texts: readonly LocatedText[]): readonly LintWarning[] => {
  const field = texts.find(([, text]) => expectation.test(text))?.[0];
  if (field === undefined || evidence.includes("expected_output")) return [];
  const message =
    'The judge is not shown what is expected: add "expected_output" to the evidence, for traces that name an item of a dataset.';
  return [{ field, rule: "expectation", message }];
};

/** Checks a judge metric for common mistakes. @param rubric built from the metric. */
export const lint = (metric: LintedMetric, rubric: Rubric): readonly LintWarning[] => {
  const labels = rubric.levels.map(({ name }) => name);
  const levelsByAnswers = levelsOf(rubric);
  const reachableLevels = levelsByAnswers?.filter((level) => level !== null) ?? rubric.levels;
  const unreachableLevels = rubric.levels.filter(({ name }) => !reachableLevels.some((each) => each.name === name));
  const texts: readonly LocatedText[] = [
    [["description"], metric.description],
    [["instructions"], metric.instructions],
    ...metric.scale.map(({ meaning }, index) => [["scale", index, "meaning"], meaning] as const),
    ...metric.statements.map(({ text }, index) => [["statements", index, "text"], text] as const),
  ];
  const unreachableWarnings = unreachableLevels.map(({ name }): LintWarning => {
    const message = `No answers to the statements lead to the level "${name}". Change the rule, or leave the level out.`;
    return {
      field: [
        "scale",
        Math.max(
          0,
          metric.scale.findIndex(({ label }) => label === name),
        ),
      ],
      rule: "unreachable",
      message,
    };
  });
  const noStatement: LintWarning = {
    field: ["statements"],
    rule: "question",
    message:
      'There is no statement: the judge answers "Is what is asked so?" by the description and the instructions alone. Ask for one thing in each statement.',
  };
  const noExample: LintWarning = {
    field: ["examples"],
    rule: "example",
    message: "There is no example. One record with its answers shows the judge how strict to be.",
  };
  return [
    ...texts.flatMap(([field, text]) => lintText(text, labels).map(({ rule, message }) => ({ field, rule, message }))),
    ...wordWarnings(texts),
    ...expectationWarnings(metric, texts),
    ...metric.statements.flatMap(({ text }, index) => statementWarnings(text, index)),
    ...(rubric.isNominal
      ? []
      : [
          ...polarityWarnings(metric, rubric, levelsByAnswers),
          ...levelThresholdWarnings(metric.threshold, reachableLevels),
        ]),
    ...(metric.scale.length === 0 && metric.statements.length === 0 ? [noStatement] : []),
    ...repetitionWarnings(metric),
    ...similarLevelWarnings(metric, rubric),
    ...unreachableWarnings,
    ...lengthWarnings(metric),
    ...(metric.examples.length === 0 ? [noExample] : []),
  ];
};

/** Checks a custom metric of any kind for common mistakes. */
export const lintMetric = (definition: CustomMetricDefinition, input: CustomMetricInput): readonly LintWarning[] =>
  definition.kind === "judge"
    ? lint(input, definition.rubric)
    : [...wordWarnings([[["description"], input.description]]), ...computedThresholdWarnings(definition)];
