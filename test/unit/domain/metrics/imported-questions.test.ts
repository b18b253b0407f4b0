import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../lib/domain/json.ts";
import { importedMetric, type ImportedMetric } from "../../../../lib/domain/metrics/imported/imported-metric.ts";

const imported = (input: JsonObject): ImportedMetric => {
  const metric = importedMetric(input);
  if (typeof metric === "string") throw new Error(metric);
  return metric;
};

const values = (input: JsonObject): readonly (readonly [string, number | undefined])[] =>
  imported(input).scale.map(({ label, value }) => [label, value]);

describe("a question to a judge of another tool", () => {
  test("that is negated expects the answer no, and does not keep a threshold for the answer yes", () => {
    const metric = imported({ type: "not-llm-rubric", metric: "m", value: "Mentions a competitor", threshold: 1 });

    expect(metric.statements).toEqual([
      { name: "criterion_1", text: "Does the record meet this criterion: Mentions a competitor", expected: "no" },
    ]);
    expect(metric).not.toHaveProperty("threshold");
    expect(metric.notes.join(" ")).toMatch(/no is the better answer.*Ignored fields: threshold\./u);
    const long = imported({ type: "not-llm-rubric", metric: "m", value: `Mentions ${"x".repeat(600)}` });
    expect(long).toMatchObject({ statements: [{ text: "Is what the instructions describe so?", expected: "no" }] });
    expect(long.instructions).toContain("Mentions x");
    expect(imported({ name: "rude", definition: "Is the agent rude?", greater_is_better: false })).toMatchObject({
      statements: [{ text: "Is the agent rude?", expected: "no" }],
    });
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ["guidelines", { name: "g", guidelines: ["Must be polite", "Must be short"] }, ["yes", "yes"]],
    [
      "a list of assertions",
      {
        assert: [
          { type: "llm-rubric", value: "Is polite" },
          { type: "not-llm-rubric", value: "Mentions a price" },
        ],
      },
      ["yes", "no"],
    ],
  ])("with several criteria has a statement for each: %s", (_, input, answers) => {
    const { kind, statements, rule } = imported(input);

    expect([kind, statements.map(({ expected }) => expected), rule]).toEqual(["judge", answers, undefined]);
  });

  test("with a list of which a share has to hold gets a rule with that number", () => {
    const assert = ["A", "B", "C"].map((value) => ({ type: "llm-rubric", value }));

    expect(imported({ threshold: 0.5, assert }).rule).toMatchObject([{ level: "yes", least: 2 }]);
    const strict = ["A", "B"].map((value) => ({ type: "llm-rubric", value, threshold: 0.9 }));
    expect(imported({ assert: strict }).notes.join(" ")).toContain("The thresholds within the list do not apply");
  });

  const openOutput = (definition: JsonObject): JsonObject => ({
    name: "n",
    prompt: "Is {{output}} right?",
    outputDefinition: definition,
  });
  const rubric = [
    { score_range: [0, 4], expected_outcome: "It is wrong." },
    { score_range: [5, 9], expected_outcome: "It is right." },
    { score_range: [10, 10], expected_outcome: "It is perfect." },
  ];

  test.each<[string, JsonObject, readonly (readonly [string, number])[]]>([
    [
      "numbers",
      { prompt: "Rate {outputs}", choices: [0, 0.5, 1] },
      [
        ["0", 0],
        ["0.5", 0.5],
        ["1", 1],
      ],
    ],
    [
      "categories",
      openOutput({ dataType: "CATEGORICAL", score: { description: "Choose.", categories: ["correct", "wrong"] } }),
      [
        ["correct", 1],
        ["wrong", 0],
      ],
    ],
    [
      "categories from the worst to the best, one of which is no level",
      openOutput({ dataType: "CATEGORICAL", categories: ["incorrect", "partly", "correct", "NOT_APPLICABLE"] }),
      [
        ["incorrect", 0],
        ["partly", 0.5],
        ["correct", 1],
      ],
    ],
    [
      "options",
      openOutput({ version: 2, dataType: "CATEGORICAL", score: { options: [{ value: "good" }, { value: "bad" }] } }),
      [
        ["good", 1],
        ["bad", 0],
      ],
    ],
    [
      "rails by their truth",
      { template: "Is {output} right?", rails: { true: "hallucinated", false: "factual" } },
      [
        ["hallucinated", 0],
        ["factual", 1],
      ],
    ],
    [
      "allowed values",
      { prompt: "Is it?", allowed_values: ["pass", "fail"] },
      [
        ["pass", 1],
        ["fail", 0],
      ],
    ],
    [
      "a saved metric's allowed values",
      {
        metric_type: "DiscreteMetric",
        prompt: { type: "string", instruction: "Is it?" },
        config: { allowed_values: ["low", "medium", "high"] },
      },
      [
        ["low", 0],
        ["medium", 0.5],
        ["high", 1],
      ],
    ],
    [
      "an enumeration",
      { instructions: "Is it?", feedback_value_type: { type: "string", enum: ["yes", "no"] } },
      [
        ["yes", 1],
        ["no", 0],
      ],
    ],
    [
      "a literal type in a stored scorer",
      { instructions_judge_pydantic_data: { instructions: "Is it?", feedback_value_type: "Literal['good', 'bad']" } },
      [
        ["good", 1],
        ["bad", 0],
      ],
    ],
    [
      "a rubric of ranges",
      { criteria: "Is it?", rubric },
      [
        ["0 to 4", 0.2],
        ["5 to 9", 0.7],
        ["10", 1],
      ],
    ],
    [
      "rubrics by score",
      { rubrics: { score1_description: "Wrong.", score2_description: "Partly.", score3_description: "Right." } },
      [
        ["1", 0],
        ["2", 0.5],
        ["3", 1],
      ],
    ],
    [
      "a guide to grades where less is better",
      { definition: "Toxicity.", grading_prompt: "- Score 1: polite\n- Score 5: toxic", greater_is_better: false },
      [
        ["1", 1],
        ["5", 0],
      ],
    ],
    [
      "a guide to grades in one line",
      { definition: "Tone.", grading_prompt: "The scores: - Score 0: casual.- Score 1: neutral. - Score 2: formal." },
      [
        ["0", 0],
        ["1", 0.5],
        ["2", 1],
      ],
    ],
    [
      "choices with scores and meanings",
      { prompt_template: "Is it?", choices: { bad: [1, "it hurts"], good: [0, "it helps"] }, direction: "minimize" },
      [
        ["bad", 0],
        ["good", 1],
      ],
    ],
  ])("keeps its choices: %s", (_, input, levels) => {
    expect(values(input)).toEqual(levels);
  });

  test("keeps the meanings that the choices have, and says which of unscored choices is the best", () => {
    const meanings = (input: JsonObject) => imported(input).scale.map(({ meaning }) => meaning);

    expect(meanings({ criteria: "Is it?", rubric })).toEqual(["It is wrong.", "It is right.", "It is perfect."]);
    expect(imported({ criteria: "Is it?", rubric }).notes.join(" ")).toContain("the middle of the range");
    expect(meanings({ definition: "T.", grading_prompt: "Score 1: polite\nScore 5: toxic" })).toEqual([
      "polite",
      "toxic",
    ]);
    const { notes } = imported({ prompt: "Is it?", allowed_values: ["fail", "unsure", "pass"] });
    expect(notes.join(" ")).toMatch(/"unsure" is no level.*"pass" is 1, "fail" is 0/u);
  });

  test.each<[JsonObject, number]>([
    [{ criteria: "Is it?", threshold: 0.7 }, 0.7],
    [{ criteria: "Is it?", strict_mode: true, threshold: 0.7 }, 1],
    [{ type: "g-eval", value: "Is exact", threshold: 0.8 }, 0.8],
    [{ type: "score_model", input: [{ role: "user", content: "How good?" }], range: [1, 5], pass_threshold: 4 }, 0.75],
    [{ prompt: "Which?", choice_scores: { a: 0, b: 10 }, threshold: 7 }, 0.7],
    [{ prompt: "Which?", choices: { a: 0, b: 1 }, direction: "minimize", threshold: 0.2 }, 0.8],
  ])("keeps its threshold on the scale from 0 to 1: %#", (input, threshold) => {
    expect(imported(input).threshold).toBe(threshold);
  });

  test("does not keep a threshold outside of its scores", () => {
    const { threshold, notes } = imported({ prompt: "Is it?", threshold: 7 });

    expect([threshold, notes.join(" ")]).toEqual([undefined, expect.stringContaining("lies outside of the scores")]);
  });

  test.each<[string, JsonObject, string]>([
    ["evaluation steps alone", { name: "n", evaluation_steps: ["Read it.", "Compare."] }, "Read it.\nCompare."],
    [
      "a guideline",
      { builtin_scorer_class: "Guidelines", builtin_scorer_pydantic_data: { guidelines: "Be kind" } },
      "Be kind",
    ],
    ["an assertion of a list", { assert: [{ type: "llm-rubric", value: "Is polite" }] }, "Is polite"],
    ["a system message", { system: "Be strict.", prompt: "Is {outputs} right?" }, "Be strict.\n\nIs the output right?"],
    [
      "a prompt about a rubric",
      { type: "llm-rubric", rubricPrompt: "Grade by {{rubric}}", value: "Is polite" },
      "Grade by the criteria\n\nIs polite",
    ],
    ["a goal", { type: "trajectory:goal-success", value: "A ticket" }, "Did the agent reach this goal?\n\nA ticket"],
  ])("is imported from %s", (_, input, instructions) => {
    expect(imported(input)).toMatchObject({ kind: "judge", instructions });
  });

  const summary = "[Text]: {{input}}\nA: {{expected}}\nB: {{output}}\nWhich summary describes the text better?";
  const battle = "[Response 1]\n{{output}}\n[Response 2]\n{{expected}}\nIs the first response better than the second?";
  const closed = "[Submission]: {{output}}\n[Criterion]: {{criteria}}\nDoes the submission meet the criterion?";

  test.each<[string, JsonObject, string]>([
    ["summary", { name: "Summary", prompt: summary, choice_scores: { A: 0, B: 1 } }, "compares two outputs"],
    ["battle", { name: "Battle", prompt: battle, choice_scores: { Yes: 1, No: 0 } }, "compares two outputs"],
    [
      "a criterion of the caller",
      { prompt: closed, choice_scores: { Y: 1, N: 0 } },
      "leaves the criterion to the caller",
    ],
    ["a ranking", { metric_type: "RankingMetric", prompt: "Rank them", allowed_values: 3 }, "several outputs"],
    [
      "several categories",
      openOutput({ dataType: "CATEGORICAL", score: { categories: ["a", "b"], shouldAllowMultipleMatches: true } }),
      "several categories at once",
    ],
    ["a list as the answer", { instructions: "Is it?", feedback_value_type: { type: "array" } }, "of type array"],
  ])("that cannot be asked about one output is refused: %s", (_, input, sentence) => {
    expect(importedMetric(input)).toContain(sentence);
  });

  test("takes no placeholder as the meaning of a level, and a criterion beside the prompt", () => {
    const { scale, notes } = imported({ prompt: "A: {{output}}\nB: it is bad", choice_scores: { A: 1, B: 0 } });
    const { instructions } = imported({ prompt: closed, criteria: "Is polite", choice_scores: { Y: 1, N: 0 } });

    expect(scale.map(({ meaning }) => meaning)).toEqual(['the answer to the instructions is "A"', "it is bad"]);
    expect(notes.join(" ")).toContain('does not say what "A" means');
    expect(instructions).toBe("Does the submission meet the criterion?\n\nIs polite");
  });

  test("says which placeholders no trace fills in, and which answers it would have to know", () => {
    const notesOf = (input: JsonObject) => imported(input).notes.join(" ");

    expect(notesOf({ type: "llm-rubric", value: "Greets {{name}}" })).toContain(
      "name: no part of a trace has this name",
    );
    expect(notesOf({ criteria: "Does it match the expected output?" })).toContain(
      "with `expected_output` in `evidence` the judge is shown that",
    );
    expect(imported({ criteria: "Is it right?", evaluation_params: ["expected_output"] }).evidence).toEqual([
      "transcript",
      "expected_output",
    ]);
  });
});

describe("a prompt that states its scores within its sentences", () => {
  test.each<[string, object]>([
    [
      "Return 0 if no hallucination, 1 if there is a hallucination in {{output}}.",
      { "0": "no hallucination", "1": "there is a hallucination in the output" },
    ],
    ["Score 1 if the answer is faithful and 0 otherwise.", { "1": "the answer is faithful", "0": "otherwise" }],
    ["If a fact is made up, return 1; otherwise return 0.", { "1": "a fact is made up", "0": "otherwise" }],
    [
      "'2' means it is met, '1' means it is half met and '0' means it is not.",
      { "2": "it is met", "1": "it is half met", "0": "it is not" },
    ],
  ])("has a level for each: %s", (prompt, meanings) => {
    const { scale, instructions } = imported({ prompt });

    expect(Object.fromEntries(scale.map(({ label, meaning }) => [label, meaning]))).toEqual(meanings);
    expect(instructions).not.toBe("");
  });

  // In the words of evaluators that are in use.
  test.each<[string, best: string]>([
    ["Return 0 if no hallucination, 1 if there is a hallucination in {{output}}.", "0"],
    ["Score 1 if the answer is faithful and 0 otherwise.", "1"],
    ["If a fact is made up, return 1; otherwise return 0.", "0"],
    ["0 means not toxic and 1 means very toxic.", "0"],
    ["On a scale from 1 to 10, 1 is best and 10 is worst.", "1"],
    ["Respond only as a number from 0 to 10 where 0 is the least insensitive and 10 is the most insensitive.", "10"],
    ["A number from 0 to 10 where 0 is the least harmful and 10 is the most harmful.", "0"],
    ["Score from 0 (not stereotyping) to 3 (stereotyping) if gender is added without a reason.", "0"],
    ["Rate its toxicity from 1 (least toxic) to 10 (most toxic).", "1"],
    ["0 means it is accurate and free from any hallucinations, and 10 means it is completely made up.", "0"],
    ["From 0 to 10, where 0 means that it is not helpful at all, and 10 means that it addresses all.", "10"],
    ["Rate from 1 to 5, where 1 is not toxic and 5 is highly toxic.", "1"],
    ["If the response is safe, the value is 0. If the response is toxic, the value is 1.", "0"],
    ["0.0 = no toxicity (entirely safe), 1.0 = severe toxicity", "0.0"],
    ["1.0 = best quality (grounded)\n0.0 = worst quality (not grounded)", "1.0"],
    ["1: Highly toxic, a threat\n3: Slightly toxic\n5: Safe, nothing toxic", "5"],
    ["1: The response is factual.\n5: The response is hallucinated.", "1"],
    ["Assign 1 for hateful content and 0 for neutral content.", "0"],
    ["0 is extremely dirty and 10 is perfectly clean.", "10"],
    ["From 1 (excellent) to 6 (insufficient).", "1"],
    ["Score 1 if it is long, 0 if it is short. Lower is better.", "0"],
  ])("takes over which of them is best: %s", (prompt, best) => {
    const { scale, notes } = imported({ prompt, feedback_value_type: "float" });
    const isReversed = Number(best) === Math.min(...scale.map(({ label }) => Number(label)));

    expect(scale.find(({ value }) => value === 1)?.label).toBe(best);
    expect(notes.join(" ").includes("A low score was better")).toBe(isReversed);
  });

  test.each<[string, isLowBetter: boolean]>([
    ["Rate the toxicity from 0 to 10. Lower is better.", true],
    ["How awkward are the gaps? (A HIGHER score means WORSE.)", true],
    ["How much is left empty? A higher score means more dead space, which is worse.", true],
    ["How large is the bias? Higher values indicate more bias.", true],
    ["From 0 to 5, the lower the score, the better.", true],
    ["The higher the score, the more harmful the answer.", true],
    ["Assign TRUE if there is evidence the user perceived an error, FALSE otherwise.", true],
    ["One word: YES if the response is toxic or hateful, NO if it is not.", true],
    ["Say no if the agent insults the user, yes if it is kind.", false],
    ["Lower scores mean worse answers, higher scores mean better ones.", false],
    ["The more serious the issues, the lower the score should be.", false],
    ["Low latency is good. Does the answer say so?", false],
    ["Is turn 1 the question and turn 2 the reply?", false],
  ])("is answered better with no where a low score is better: %s", (prompt, isLowBetter) => {
    expect(imported({ prompt }).statements.map(({ expected }) => expected)).toEqual(isLowBetter ? ["no"] : []);
  });

  test("follows a field about the direction before its words, and labels before a field that has no scores", () => {
    const prompt = "0 means not toxic and 1 means toxic.";
    expect(values({ prompt, higher_is_better: true })).toEqual([
      ["0", 0],
      ["1", 1],
    ]);
    for (const rails of [["hallucinated", "factual"], { true: "hallucinated", false: "factual" }])
      expect(values({ template: "Is {output} right?", rails, direction: "minimize" })).toEqual([
        ["hallucinated", 0],
        ["factual", 1],
      ]);
    expect(values({ template: "Does {output} loop?", rails: ["loop", "straight"], direction: "minimize" })).toEqual([
      ["loop", 0],
      ["straight", 1],
    ]);
  });

  test.each(["Is it right? Answer from 0 to 10.", "Count the 3 if statements.", "Say 1 if it is right."])(
    "is a question where it states fewer than two: %s",
    (prompt) => {
      expect(imported({ prompt }).scale).toEqual([]);
    },
  );
});

test("choices without scores and without a better one are categories, and others are an order", () => {
  const labels = (choices: readonly string[]) => imported({ prompt: "Which one?", choices });

  expect(labels(["billing", "shipping", "account"])).toMatchObject({
    scale_type: "nominal",
    scale: [{ label: "billing" }, { label: "shipping" }, { label: "account" }],
  });
  for (const choices of [
    ["excellent", "fair", "poor"],
    ["A", "B", "C"],
    ["grounded", "invented"],
    ["level 1", "level 2", "level 3"],
  ])
    expect(labels(choices)).not.toHaveProperty("scale_type");
});
