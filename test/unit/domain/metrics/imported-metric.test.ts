import { describe, expect, test } from "vitest";
import { importedMetric, type ImportedMetric } from "../../../../lib/domain/metrics/imported/imported-metric.ts";
import type { JsonObject } from "../../../../lib/domain/json.ts";

const imported = (input: JsonObject): ImportedMetric => {
  const metric = importedMetric(input);
  if (typeof metric === "string") throw new Error(metric);
  return metric;
};

const prompt = `You compare a reply with what an agent was asked.

[BEGIN DATA]
************
[Request]: {{input}}
************
[Reply]: {{output}}
[END DATA]

Decide how far {{output}} meets the request.
(A) The reply meets all of it.
(B) The reply meets a part of it.
(C) The reply meets nothing of it.

Answer with a single letter only.`;

const scale = [
  { label: "A", meaning: "The reply meets all of it", value: 1 },
  { label: "B", meaning: "The reply meets a part of it", value: 0.5 },
  { label: "C", meaning: "The reply meets nothing of it", value: 0 },
];
const scores = { A: 1, B: 0.5, C: 0 };

describe("an imported metric of another tool", () => {
  test.each<[string, JsonObject, string]>([
    [
      "a classifier's prompt with scores of its choices",
      { name: "MeetsRequest", prompt, choice_scores: scores, use_cot: true },
      "use_cot",
    ],
    [
      "the same as a program gives it",
      { name: "meets request", promptTemplate: prompt, choiceScores: scores, useCoT: true },
      "useCoT",
    ],
    [
      "a file of one metric",
      { meets_request: { prompt, choice_strings: "ABC", choice_scores: scores, eval_type: "cot_classify" } },
      "choice_strings, eval_type",
    ],
    [
      "a stored scorer",
      {
        name: "Meets request",
        prompt_data: {
          parser: { type: "llm_classifier", use_cot: true, choice_scores: scores },
          prompt: { type: "chat", messages: [{ role: "user", content: [{ type: "text", text: prompt }] }] },
        },
      },
      "prompt_data.parser.use_cot",
    ],
  ])("becomes a custom metric: %s", (_, input, ignoredFields) => {
    const metric = imported(input);
    expect(metric).toMatchObject({
      name: "meets_request",
      description: "You compare a reply with what an agent was asked.",
      instructions: "You compare a reply with what an agent was asked.\n\nDecide how far the output meets the request.",
      scale,
    });
    expect(metric.notes).toEqual([
      "Removed, because the form of the answer is fixed: Answer with a single letter only.",
      "The record is shown beside the instructions: input, output are no placeholders any more.",
      `Ignored fields: ${ignoredFields}.`,
    ]);
  });

  test("with labels that pass and labels that do not", () => {
    const metric = imported({
      type: "label_model",
      name: "Tone check",
      input: [
        { role: "developer", content: "Say how {{sample.output_text}} sounds." },
        { role: "user", content: "kind: it is friendly\nrude: it is not" },
      ],
      labels: ["kind", "rude"],
      passing_labels: ["kind"],
    });
    expect(metric).toMatchObject({
      name: "tone_check",
      instructions: "Say how the output sounds.",
      scale: [
        { label: "kind", meaning: "it is friendly", value: 1 },
        { label: "rude", meaning: "it is not", value: 0 },
      ],
    });
  });

  const classifier = {
    name: "hallucination",
    description: "Detects claims that nothing supports. Long.",
    labels: ["shown_to_users"],
    optimization_direction: "minimize",
    messages: [
      {
        role: "user",
        content: [
          "Say whether the reply is grounded.",
          "<rubric>",
          "INVENTED - A claim has no support. This includes:",
          "- made-up figures",
          "GROUNDED - Every claim has support, even if:",
          "- it is put otherwise",
          "</rubric>",
          'Return "grounded" only when all of this is true:',
          "- no figure is new",
          "<data>\n<input>\n{{input}}\n</input>\n\n<output>\n{{output}}\n</output>\n</data>",
          "Is it grounded or invented?",
        ].join("\n"),
      },
    ],
    choices: { invented: 1, grounded: 0 },
    substitutions: { output: "output_with_tools" },
  };

  test("with a score for each choice, where lower is better, is reversed and keeps its rubric whole", () => {
    const { description, instructions, scale: levels, notes } = imported(classifier);
    expect(description).toBe("Detects claims that nothing supports.");
    expect(levels).toEqual([
      { label: "invented", meaning: "A claim has no support", value: 0 },
      { label: "grounded", meaning: "Every claim has support", value: 1 },
    ]);
    expect(instructions.split("\n").filter((line) => line !== "")).toEqual([
      "Say whether the reply is grounded.",
      "<rubric>",
      "INVENTED - A claim has no support. This includes:",
      "- made-up figures",
      "GROUNDED - Every claim has support, even if:",
      "- it is put otherwise",
      "</rubric>",
      'Return "grounded" only when all of this is true:',
      "- no figure is new",
      "Is it grounded or invented?",
    ]);
    expect(notes).toEqual([
      "The record is shown beside the instructions: input, output are no placeholders any more.",
      "A low score was better: the values were inverted, so that 1 is the best.",
      "Ignored fields: labels, substitutions.",
    ]);
  });

  test.each<[string, JsonObject, Partial<ImportedMetric>]>([
    [
      "criteria with steps",
      { name: "Right", criteria: "Is the output right?", evaluation_steps: ["Read it.", "Compare."], threshold: 0.7 },
      { name: "right", instructions: "Is the output right?\n\nRead it.\nCompare." },
    ],
    [
      "a definition with a guide to grades",
      { name: "formal", definition: "Formal speech.", grading_prompt: "Score 1: slang." },
      { name: "formal", instructions: "Formal speech.\n\nScore 1: slang." },
    ],
    [
      "instructions with placeholders",
      { name: "coherent", instructions: "Does {{ outputs }} answer {{ inputs }}?", feedback_value_type: "bool" },
      { name: "coherent", instructions: "Does the output answer the input?" },
    ],
    [
      "an assertion of a list",
      { type: "g-eval", metric: "exact", value: ["It is exact", "It is whole"] },
      { name: "exact", instructions: "It is exact\nIt is whole" },
    ],
  ])("that is no prompt but %s becomes a custom metric", (_, input, expectedPrompt) => {
    expect(imported(input)).toMatchObject(expectedPrompt);
  });

  test.each<[string, JsonObject]>([
    ["as texts", { choice_scores: { good: "1", bad: "0" } }],
    [
      "in a list",
      {
        choices: [
          { label: "good", score: 1 },
          { label: "bad", score: 0 },
        ],
      },
    ],
  ])("with scores %s keeps them", (_, choices) => {
    const { scale: levels, notes } = imported({ prompt: "Which? good: it is so. bad: it is not.", ...choices });
    expect(levels.map(({ label, value }) => [label, value])).toEqual([
      ["good", 1],
      ["bad", 0],
    ]);
    expect(notes.join(" ")).not.toContain("no scores");
  });

  test("with very many placeholders is read like any other", () => {
    const marks = ["<a>\n".repeat(1000), "</a>\n".repeat(1000)].join("");
    expect(imported({ prompt: `Is it?\n<data>\n<a>\n{x}\n</a>\n</data>` }).instructions).toBe("Is it?");
    expect(imported({ prompt: `Is it?\n${marks.slice(0, 7000)}` }).instructions).toContain("Is it?");
    expect(importedMetric({ prompt: `Is it?\n${"<a>\n".repeat(20_000)}${"</a>\n".repeat(20_000)}` })).toContain(
      "at most 8000",
    );
  });

  test("reports each part that is left out", () => {
    const notesOf = (fields: JsonObject) => imported({ prompt: "Is it?", ...fields }).notes.join(" ");
    expect(notesOf({ threshold: 0.7, model: "x", examples: [], id: "1" })).toContain("Ignored fields: model, id.");
    expect(notesOf({ few_shot_examples: [{ inputs: "a" }], custom: { deep: 1 } })).toContain(
      "Ignored fields: few_shot_examples, custom.",
    );
  });

  test("that asks for a number becomes yes or no, with a warning", () => {
    const outputDefinition = { score: "A number from 0 to 1: how brief it is.", reasoning: "One sentence." };
    const metric = imported({ name: "brevity", prompt: "Is {{generation}} brief?", outputDefinition });
    expect(metric).toMatchObject({
      scale: [],
      instructions: "Is the output brief?\n\nA number from 0 to 1: how brief it is.",
    });
    expect(metric.notes.join(" ")).toContain("the scale is yes or no now");
    expect(imported({ prompt: "How brief is it?", range: [1, 5] }).notes.join(" ")).toContain("a number from 1 to 5");
  });

  test("with scores outside of 0 to 1, or without scores, reports their conversion", () => {
    const wide = imported({ prompt: "Which?", choice_scores: { best: 10, middle: 5, worst: -10 } });
    expect(wide.scale.map(({ value }) => value)).toEqual([1, 0.75, 0]);
    expect(wide.notes.join(" ")).toContain("the lowest is 0 and the highest 1 now");
    const none = imported({ prompt: "Which?", choices: ["best", "middle", "worst"] });
    expect(none.scale.map(({ value }) => value)).toEqual([1, 0.5, 0]);
    expect(none.notes.join(" ")).toContain("The choices had no scores");
  });

  test("that compares with an expected answer shows its judge that of the item", () => {
    const { notes, instructions, evidence } = imported({
      prompt: "Does {output} agree with {ideal}?",
      choice_scores: { Y: 1, N: 0 },
    });
    expect(instructions).toBe("Does the output agree with the expected answer?");
    expect(evidence).toEqual(["transcript", "expected_output"]);
    expect(notes.join(" ")).toContain("the metric is not applicable to other traces");
  });

  test("with too long texts is cut, but within no character", () => {
    const long = (maxLength: number) => `${"x".repeat(maxLength - 1)}\u{1f308}`;
    const { description, scale: levels } = imported({
      prompt: "Which?",
      description: long(200),
      choice_scores: { [long(40)]: 1, no: 0 },
    });

    expect([description, levels[0]?.label]).toEqual(["x".repeat(199), "x".repeat(39)]);
    for (const { meaning } of levels) expect(meaning.isWellFormed()).toBe(true);
  });

  test.each<[JsonObject, string]>([
    [{ name: "x" }, "The export has no prompt"],
    [{ name: "x", code: "return 1" }, "The metric cannot be imported: it is code"],
    [{ prompt: "Which?", choice_scores: { only: 1 } }, "The metric has 1 choices; a scale has two to 7 levels."],
    [{ prompt: "Which?", choices: Array.from("abcdefgh") }, "The metric has 8 choices"],
    [{ prompt: "Is it? ".repeat(2000) }, "at most 8000"],
    [{ prompt: "Which?", choices: [`${"a".repeat(40)}1`, `${"a".repeat(40)}2`] }, "same 40 characters"],
  ])("that cannot be converted is refused with a reason: %#", (input, flaw) => {
    expect(importedMetric(input)).toContain(flaw);
  });
});

/** Returns the CPU time of an import in milliseconds. */
const cpuTime = (input: JsonObject): number => {
  const start = process.cpuUsage();
  importedMetric(input);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

test.each<[string, string]>([
  ["an open placeholder and blanks", `{{${" ".repeat(39_000)}`],
  ["open placeholders", "{{ ".repeat(13_000)],
  ["a choice and blanks", `A${" ".repeat(39_000)}x`],
  ["points and blanks", `A: ${". ".repeat(900)}x\n${". ".repeat(19_000)}x`],
  ["a tag and lines", `<a>${"\n".repeat(39_000)}`],
  ["dashes", "A--- ".repeat(7800)],
  ["blank lines", " \n".repeat(19_000)],
  ["words of a pair", "first response ".repeat(2600)],
])("a prompt of %s is searched in linear time", (_, prompt) => {
  const input = { prompt, choice_scores: { A: 1, B: 0 } };
  cpuTime(input);

  expect(cpuTime(input)).toBeLessThan(400);
});

test("an export that is too long is refused before it is searched", () => {
  expect(importedMetric({ prompt: "{{ ".repeat(200_000) })).toContain("at most 100000 are read");
});
