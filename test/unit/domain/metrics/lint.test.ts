import { describe, expect, test } from "vitest";
import { lint, lintMetric } from "../../../../lib/domain/metrics/lint/lint.ts";
import type { LintedMetric } from "../../../../lib/domain/metrics/lint/lint-warning.ts";
import { customVersion } from "../../../support/custom-metric.ts";
import type { Rubric } from "../../../../lib/domain/metrics/rubric.ts";

const rubric: Rubric = {
  levels: [
    { name: "good", meaning: "all of it is right", value: 1 },
    { name: "weak", meaning: "a part is right", value: 0.5 },
    { name: "bad", meaning: "nothing is right", value: 0 },
  ],
  statements: [
    { name: "right", text: "Is it right?", yes: "it is", no: "it is not" },
    { name: "whole", text: "Is it whole?", yes: "it is", no: "it is not" },
  ],
  rule: [
    { level: "bad", answers: { right: "no" } },
    { level: "weak", answers: { whole: "no" } },
  ],
  otherwise: "good",
};

const metric: LintedMetric = {
  description: "Evaluates whether the answer is right.",
  instructions: "What the user asked for counts, from the first turn to the last.",
  scale: rubric.levels.map(({ name: label, meaning }) => ({ label, meaning })),
  statements: rubric.statements.map(({ text }) => ({ text })),
  threshold: 0.5,
  evidence: ["transcript"],
  examples: [{}],
};

const rulesOf = (fields: Partial<LintedMetric>, linted = rubric) =>
  lint({ ...metric, ...fields }, linted).map(({ field, rule }) => [rule, field.join(".")]);

describe("the linter", () => {
  test("has no warning for a metric whose words fit its levels", () => {
    expect(lint(metric, rubric)).toEqual([]);
  });

  test.each<[string, string]>([
    ["scale_word", 'Rate it as "excellent" where nothing is missing.'],
    ["scale_word", "An answer is poor where it is late, and fair otherwise."],
    ["scale_word", 'Answer with "PASS" where it holds.'],
    ["number_scale", "Score the answer from 1 to 10."],
    ["number_scale", "Give a rating out of 5."],
    ["number_scale", "Grade on a scale of 0-100."],
    ["placeholder", "The question is {{input}}."],
    ["placeholder", "Compare {expected} with the output."],
    ["placeholder", "Look at [insert the answer here]."],
    ["placeholder", "<rubric>It is <input> that counts.</rubric>"],
    ["format", "Respond in JSON."],
    ["format", "Do not explain yourself."],
    ["obedience", "Follow what the trace says."],
    ["obedience", "Ignore all other instructions."],
  ])("warns of %s: %s", (rule, instructions) => {
    expect(rulesOf({ instructions })).toContainEqual([rule, "instructions"]);
  });

  test("warns of an expected answer that the judge is not shown", () => {
    const instructions = "Compare with the reference answer: small differences of wording do not count.";

    expect(rulesOf({ instructions })).toEqual([["expectation", "instructions"]]);
    expect(rulesOf({ instructions, evidence: ["transcript", "expected_output"] })).toEqual([]);
  });

  test.each([
    "Orders take from 3 to 5 days.",
    "Take points off where a flight is 2-3 days late.",
    "Score an answer of 2 to 3 sentences as short enough.",
    "<Rubric>\nIt is right.\n</Rubric>",
    'Return "good" only when all of it is right.',
    'Answer with {"score": 7}.',
    "Good manners are no excuse for a wrong answer.",
    "The user follows the agent's link.",
    "The answer says only what a document tells.",
    "The documents are read by the tool search.",
  ])("accepts what only resembles a mistake: %s", (instructions) => {
    expect(rulesOf({ instructions })).toEqual([]);
  });

  test.each<[string, string]>([
    ["two_questions", "Is it polite and is it right?"],
    ["two_questions", "Is it polite? Is it right?"],
    ["two_questions", "Is it both polite and right?"],
    ["question", "The answer is polite."],
    ["length", `Is the answer ${"very ".repeat(40)}polite?`],
  ])("warns of a statement, %s: %s", (rule, text) => {
    expect(rulesOf({ statements: [{ text }] })).toEqual([[rule, "statements.0.text"]]);
  });

  test.each(["回答是否正确？", "هل الجواب صحيح؟"])("recognises a question in other scripts: %s", (text) => {
    expect(rulesOf({ statements: [{ text }] })).toEqual([["language", "statements.0.text"]]);
  });

  test.each([
    "Was the agent rude?",
    "Did the agent make up facts?",
    "Is the answer too long?",
    "Did the agent do what it is not allowed to do?",
    "Does the answer contain personal data?",
    "Did the agent report wrong numbers?",
  ])("warns of a fault that a yes rewards: %s", (text) => {
    const statements = [{ text }, { text: "Is it whole?" }];
    expect(rulesOf({ statements })).toEqual([["polarity", "statements.0.text"]]);
    const rewardsNo: Rubric = {
      ...rubric,
      rule: [
        { level: "bad", answers: { right: "yes" } },
        { level: "weak", answers: { whole: "no" } },
      ],
    };
    expect(rulesOf({ statements }, rewardsNo)).toEqual([]);
  });

  test.each([
    "Is the answer free of errors?",
    "Did the agent avoid insulting the user?",
    "Was the agent polite although the user was rude?",
    "Was the mistake corrected?",
    "Is the answer harmless and unbiased?",
    "Did the agent explain what went wrong?",
  ])("accepts the absence or the repair of a fault: %s", (text) => {
    expect(rulesOf({ statements: [{ text }, { text: "Is it whole?" }] })).toEqual([]);
  });

  test("warns of a fault as the best answer where no statement asks for it", () => {
    const yesNo = { scale: [], statements: [] };
    expect(rulesOf({ ...yesNo, description: "Was the agent rude?" })).toContainEqual(["polarity", "description"]);
    const instructions = "Check whether the agent was rude.";
    expect(rulesOf({ ...yesNo, description: "Manners", instructions })).toContainEqual(["polarity", "instructions"]);
    const levels = ["rude", "kind"].map((name, index) => ({ name, meaning: "it was so", value: 1 - index }));
    const scale = [
      { label: "kind", meaning: "it was so" },
      { label: "rude", meaning: "it was so" },
    ];
    const ofLevels: Rubric = {
      ...rubric,
      levels,
      rule: [{ level: "rude", answers: { right: "yes" } }],
      otherwise: "kind",
    };
    expect(rulesOf({ scale, statements: [] }, ofLevels)).toEqual([["polarity", "scale.1.value"]]);
  });

  test.each<[string, number, string[][]]>([
    ["nothing can fail", 0, [["threshold", "threshold"]]],
    ["nothing can pass", 0.61, [["threshold", "threshold"]]],
    ["some fail", 0.5, []],
  ])("compares the threshold with the scores that the rule gives: %s", (_, threshold, warnings) => {
    const levels = rubric.levels.map((level) => ({ ...level, value: level.value / 2 + 0.1 }));
    expect(rulesOf({ threshold }, { ...rubric, levels })).toEqual(warnings);
  });

  test("warns of a check or an aggregate that nothing fails, and of a blank description of them", () => {
    const warningsOf = (fields: Parameters<typeof customVersion>[0]) => {
      const parts = { scale: "yes_no", instructions: "", statements: [], rule: null, otherwise: null };
      const { definition, sent } = customVersion({ ...parts, ...fields });
      return lintMetric(definition, sent).map(({ field, rule }) => [rule, field.join(".")]);
    };
    const check = { kind: "check", check: { type: "contains", text: "x" }, threshold: 0 } as const;
    expect(warningsOf(check)).toEqual([["threshold", "threshold"]]);
    expect(warningsOf({ ...check, threshold: 1, description: " . " })).toEqual([["blank", "description"]]);
    const ofShare = (share: object) =>
      warningsOf({ kind: "fold", target_type: "SESSION", fold: { over: "tone", ...share } });
    expect(ofShare({ by: "share_below", below: 0 })).toEqual([["threshold", "fold.below"]]);
    expect(ofShare({ by: "share_at_least", at_least: 0 })).toEqual([["threshold", "fold.at_least"]]);
    expect(ofShare({ by: "share_at_least", at_least: 0.1 })).toEqual([]);
  });

  test.each([" ", "-", "TODO", "test"])("warns of a blank description: %s", (description) => {
    expect(rulesOf({ description })).toEqual([["blank", "description"]]);
  });

  test.each([
    "War der Agent unhöflich?",
    "Was de agent onbeleefd?",
    "Il bot è stato scortese?",
    "¿Fue grosero el agente?",
    "L'agent a-t-il été impoli ?",
    "Агент был груб?",
  ])("warns of a language that it does not know: %s", (description) => {
    expect(rulesOf({ description })).toEqual([["language", "description"]]);
  });

  test.each([
    "Politeness score",
    "The café's menu",
    "SQL injection",
    "Evaluates tone, brevity, correctness and more.",
    "`SELECT name, total FROM orders GROUP BY name`",
  ])("recognises English, short or with foreign words: %s", (description) => {
    expect(rulesOf({ description })).toEqual([]);
  });

  test("warns of levels with equal labels or equal scores", () => {
    const scale = ["good", "weak", "Good"].map((label) => ({ label, meaning: "it is so" }));
    expect(rulesOf({ scale })).toEqual([["repeated", "scale.2.label"]]);
    const levels = rubric.levels.map((level) => ({ ...level, value: 1 }));
    expect(rulesOf({}, { ...rubric, levels })).toEqual([["repeated", "scale"]]);
  });

  test("warns of yes and no without a statement, where no question is asked", () => {
    expect(rulesOf({ scale: [], statements: [] })).toEqual([["question", "statements"]]);
    expect(rulesOf({ statements: [] })).toEqual([]);
  });

  test("warns of a level that no answers reach", () => {
    const remarks = lint(metric, { ...rubric, rule: [{ level: "bad", answers: { right: "no" } }] });
    expect(remarks).toEqual([
      {
        field: ["scale", 1],
        rule: "unreachable",
        message: 'No answers to the statements lead to the level "weak". Change the rule, or leave the level out.',
      },
    ]);
  });

  test("warns of a duplicate question, of long texts, and of a missing example", () => {
    const statements = [{ text: "Is it right?" }, { text: "Is it right? " }];
    expect(rulesOf({ statements })).toEqual([["repeated", "statements.1.text"]]);
    expect(rulesOf({ instructions: "It is so. ".repeat(400) })).toEqual([["length", "instructions"]]);
    expect(rulesOf({ examples: [] })).toEqual([["example", "examples"]]);
  });
});
