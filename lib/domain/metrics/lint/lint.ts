import { decide, type Rubric, type YesNo } from "../rubric.ts";
import { lintText, textRules } from "./text-warnings.ts";

/** Rules of the linter for custom metrics; the names are stable. */
export const lintRules = [
  ...textRules,
  "length",
  "question",
  "two_questions",
  "unreachable",
  "repeated",
  "example",
] as const;

/** A lint warning about a custom metric. Warnings never reject a metric. */
export interface LintWarning {
  /** Path of the examined field in the request. */
  readonly field: readonly (string | number)[];
  readonly rule: (typeof lintRules)[number];
  /** Recommendation in a sentence or two. */
  readonly message: string;
}

/** The fields of a judge metric that the linter examines. */
export interface LintedMetric {
  readonly description: string;
  readonly instructions: string;
  /** Levels of the metric; empty for the scale of yes and no. */
  readonly scale: readonly { readonly label: string; readonly meaning: string }[];
  readonly statements: readonly { readonly text: string }[];
  readonly examples: readonly unknown[];
}

/** Maximum recommended characters of instructions, a statement and a description. */
const [longInstructions, longStatement, longDescription] = [3000, 200, 200] as const;

/** Maximum number of statements for which all combinations of answers are enumerated. */
const maxEnumeratedStatements = 12;

/** Matches the beginning of a second question behind "and" or "or". */
const secondQuestion =
  /\b(?:and|or|but|as well as)\s+(?:(?:also|then)\s+)?(?:did|do|does|is|was|are|were|has|have|had|can|could|should|would|will|must|not)\b/iu;
/** Matches two requests in one sentence. */
const doubleRequest = /\bboth\b.+\band\b|\band\/or\b|\bas well as\b/iu;

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

/** Returns the names of levels that no combination of answers leads to. */
const unreachableLevels = (rubric: Rubric): readonly string[] => {
  const { statements, levels } = rubric;
  if (statements.length > maxEnumeratedStatements) return [];
  const reachableLevels = new Set<string>();
  for (let bits = 0; bits < 2 ** statements.length; bits += 1) {
    const answers = Object.fromEntries(
      statements.map(({ name }, index): readonly [string, YesNo] => [name, (bits >> index) % 2 === 0 ? "no" : "yes"]),
    );
    const decision = decide(rubric, answers);
    if (decision.kind === "level") reachableLevels.add(decision.level.name);
  }
  return levels.map(({ name }) => name).filter((name) => !reachableLevels.has(name));
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
const similarLevelWarnings = ({ scale }: LintedMetric, { levels }: Rubric): readonly LintWarning[] => {
  const labels = scale.map(({ label }) => label.trim().toLowerCase());
  const labelWarnings = labels.flatMap((label, index): readonly LintWarning[] => {
    const first = labels.indexOf(label);
    if (first === index) return [];
    const message = `Level ${first + 1} has this label too, but for its capitals: readers of scores will mix them up.`;
    return [{ field: ["scale", index, "label"], rule: "repeated", message }];
  });
  const values = new Set(levels.map(({ value }) => value));
  if (values.size > 1) return labelWarnings;
  const message = `All levels have the value ${[...values].join()}: every record would score the same. Give each level a value of its own.`;
  return [...labelWarnings, { field: ["scale"], rule: "repeated", message }];
};

/** Checks a judge metric for common mistakes. @param rubric built from the metric. */
export const lint = (metric: LintedMetric, rubric: Rubric): readonly LintWarning[] => {
  const labels = rubric.levels.map(({ name }) => name);
  const texts: readonly (readonly [readonly (string | number)[], string])[] = [
    [["description"], metric.description],
    [["instructions"], metric.instructions],
    ...metric.scale.map(({ meaning }, index) => [["scale", index, "meaning"], meaning] as const),
    ...metric.statements.map(({ text }, index) => [["statements", index, "text"], text] as const),
  ];
  const unreachableWarnings = unreachableLevels(rubric).map((name): LintWarning => {
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
    ...metric.statements.flatMap(({ text }, index) => statementWarnings(text, index)),
    ...(metric.scale.length === 0 && metric.statements.length === 0 ? [noStatement] : []),
    ...repetitionWarnings(metric),
    ...similarLevelWarnings(metric, rubric),
    ...unreachableWarnings,
    ...lengthWarnings(metric),
    ...(metric.examples.length === 0 ? [noExample] : []),
  ];
};
