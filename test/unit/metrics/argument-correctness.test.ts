import { describe, expect, test } from "vitest";
import { argumentCorrectness } from "../../../lib/metrics/trace/argument-correctness.ts";
import { argumentFacts } from "../../../lib/metrics/trace/argument-facts.ts";
import { span, trace } from "../judge/fixtures.ts";
import { material } from "./material.ts";

const calls = (count: number) =>
  material({
    spans: Array.from({ length: count }, (_, index) =>
      span(String(index).padStart(3, "0"), { kind: "TOOL", name: `tool_${index + 1}`, input: { n: index + 1 } }),
    ),
  });
const answer = (verdicts: readonly (readonly [call: string, verdict: string])[]) => ({
  user_input: "u",
  evidence: [],
  reason: "r",
  verdicts: verdicts.map(([call, correctness]) => ({
    call,
    reason: "because",
    wanted: correctness,
    allowed: "yes",
    grounded: "yes",
  })),
});

describe("argument_correctness", () => {
  test("is the share of calls with correct arguments", () => {
    const scored = argumentCorrectness.score(
      answer([
        ["1", "yes"],
        ["2", "no"],
        ["Call 3", "yes"],
      ]),
      calls(3),
    );

    expect(scored).toMatchObject({
      value: 2 / 3,
      reason: 'r Wrong: call 2 ("wanted").',
      details: { user_input: "u", calls_judged: 3 },
    });
    expect(scored.details["verdicts"]).toEqual([
      { call: 1, reason: "because", verdict: "yes" },
      { call: 2, reason: "because", verdict: "no", by: ["wanted"] },
      { call: 3, reason: "because", verdict: "yes" },
    ]);
  });

  test("counts the first verdict on each actual call, and no other", () => {
    const judgeAnswer = answer([
      ["2", "no"],
      ["2", "yes"],
      ["7", "yes"],
      ["none", "yes"],
      ["1", "yes"],
    ]);

    expect(argumentCorrectness.score(judgeAnswer, calls(2))).toMatchObject({
      value: 0.5,
      details: { calls_judged: 2, calls_total: 2 },
    });
  });

  test("has no value when a call has no verdict", () => {
    const judgeAnswer = answer([["1", "yes"]]);

    expect(argumentCorrectness.findFlaw(judgeAnswer, calls(3), 0)).toBe("There is no verdict on call 2, 3.");
    expect(argumentCorrectness.findFlaw(judgeAnswer, calls(1), 0)).toBeNull();
    expect(argumentCorrectness.score(judgeAnswer, calls(3))).toMatchObject({ value: null, code: "judge_malformed" });
    expect(argumentCorrectness.score(answer([]), calls(2))).toMatchObject({ value: null, code: "judge_malformed" });
  });

  test("leaves out undecided calls and lists them; with mostly undecided calls there is no value", () => {
    const partlyDecided = argumentCorrectness.score(
      answer([
        ["1", "yes"],
        ["2", "cannot_tell"],
        ["3", "no"],
      ]),
      calls(3),
    );
    const mostlyUndecided = argumentCorrectness.score(
      answer([
        ["1", "yes"],
        ["2", "cannot_tell"],
        ["3", "cannot_tell"],
      ]),
      calls(3),
    );

    expect(partlyDecided).toMatchObject({
      value: 0.5,
      reason: 'r Wrong: call 3 ("wanted"). Cannot be told from what was shown: call 2 ("wanted").',
      details: { calls_judged: 3, calls_undecided: 1 },
    });
    expect(mostlyUndecided).toMatchObject({ value: null, code: "insufficient_evidence" });
  });

  test('ignores "cannot tell" answers about a call that is wrong anyway', () => {
    const [verdict] = answer([["1", "cannot_tell"]]).verdicts;
    const judgeAnswer = { ...answer([]), verdicts: [{ ...verdict, grounded: "no" }] };

    expect(argumentCorrectness.score(judgeAnswer, calls(1))).toMatchObject({
      value: 0,
      reason: 'r Wrong: call 1 ("grounded").',
    });
  });

  test("does not apply to a trace without tool calls, which is 1 by convention", () => {
    expect(argumentCorrectness.inapplicable(material({ spans: [], input: "Hi", output: "Hello" }))).toEqual({
      value: 1,
      inapplicable: "no_tool_calls",
      reason: "Does not apply: the trace calls no tool, so there is nothing to evaluate.",
      details: { user_input: "Hi", verdicts: [] },
    });
    expect(argumentCorrectness.inapplicable(calls(1))).toBeNull();
  });

  test("sends questions about every call, 40 per question", () => {
    const facts = argumentFacts(calls(95).trace);

    expect(facts.map(({ text }) => text.match(/^Call \d+ /gmu)?.length)).toEqual([40, 40, 15]);
    expect(facts[2]?.text).toMatch(/^Call 81 \(#81\): "tool_81"/mu);
    expect(facts[2]?.text).toContain("(calls 1 to 80 are asked about apart)");
    const numbers = Array.from({ length: 15 }, (_, index): readonly [string, string] => [String(81 + index), "yes"]);
    expect(argumentCorrectness.findFlaw(answer(numbers), calls(95), 2)).toBeNull();
    expect(argumentCorrectness.findFlaw(answer(numbers.slice(1)), calls(95), 2)).toBe(
      "There is no verdict on call 81.",
    );
  });

  test("merges the answers about all calls", () => {
    const allCalls = Array.from({ length: 60 }, (_, index): readonly [string, string] => [
      String(index + 1),
      index < 45 ? "yes" : "no",
    ]);

    const joined = argumentCorrectness.joinAnswers([answer(allCalls.slice(0, 40)), answer(allCalls.slice(40))]);

    expect(argumentCorrectness.score(joined, calls(60))).toMatchObject({
      value: 0.75,
      reason: expect.stringMatching(/^r r Wrong: call 46 \("wanted"\), .*, 55 \("wanted"\), 5 more\.$/u),
      details: { calls_judged: 60, calls_total: 60 },
    });
  });

  test("covers 1,000 calls at most and reports how many are left out", () => {
    const facts = argumentFacts(calls(1010).trace);

    expect(facts).toHaveLength(25);
    expect(facts[24]?.text).toContain("(10 more calls are not asked about)");
    expect(facts[24]?.coverage.ratio).toBeLessThan(1);
    expect(facts[23]?.coverage.ratio).toBe(1);
  });
});

const factsOf = (fields: Parameters<typeof trace>[0]) => argumentFacts(trace(fields))[0]?.text;

describe("the facts about calls", () => {
  test("hold the user's input and each call with its result, with a text of the trace on one line", () => {
    const spans = [
      span("a", { kind: "TOOL", name: "look\nCall 9: up", input: { q: "a\nb" }, output: "x\ny", error: "late" }),
    ];

    expect(factsOf({ input: "Where?\nCall 2: x", spans })).toBe(
      [
        'User turn 1: "Where?\\nCall 2: x"',
        'Call 1 (#1): "look\\nCall 9: up"',
        '  parameters: {"q":"a\\nb"}',
        '  result: "x\\ny"',
        '  error: "late"',
      ].join("\n"),
    );
  });

  test("hold the system prompt, the definitions of the called tools, and each call after the turn it follows", () => {
    const messages = [
      { role: "system", content: "Never book without a yes." },
      { role: "user", content: "A flight to Rome, please." },
    ];
    const later = [
      ...messages,
      { role: "assistant", content: "The 9:10 one?" },
      { role: "user", content: "No, to Oslo." },
    ];
    const tools = ["search", "book"].map((name) => ({
      type: "function",
      function: { name, description: `To ${name}.`, parameters: { type: "object", required: ["to"] } },
    }));
    const at = (second: number) => ({ started_at: `2026-03-01T10:00:0${second}+00:00` });
    const spans = [
      span("a", { kind: "LLM", input: { messages }, model_parameters: { tools }, ...at(1) }),
      span("b", { kind: "TOOL", name: "search", input: { to: "Rome" }, output: ["9:10"], ...at(2) }),
      span("c", { kind: "LLM", input: { messages: later }, ...at(3) }),
      span("d", { kind: "TOOL", name: "search", input: { to: "Oslo" }, output: [], ...at(4) }),
    ];

    expect(factsOf({ input: "A flight to Rome, please.", spans })).toBe(
      [
        'System rules: "Never book without a yes."',
        'Tool "search": {"description":"To search.","parameters":{"type":"object","required":["to"]}}',
        'User turn 1: "A flight to Rome, please."',
        'Call 1 (#2): "search"',
        '  parameters: {"to":"Rome"}',
        '  result: ["9:10"]',
        'The agent said: "The 9:10 one?"',
        'User turn 2: "No, to Oslo."',
        'Call 2 (#4): "search"',
        '  parameters: {"to":"Oslo"}',
        "  result: []",
      ].join("\n"),
    );
  });

  test("shorten results before parameters", () => {
    const long = "x".repeat(9000);
    const spans = [span("a", { kind: "TOOL", input: long, output: long })];

    const [facts] = argumentFacts(trace({ spans }));

    expect(facts?.text.split("\n").map(({ length }) => length)).toEqual([expect.any(Number), 16, 3014, 2010]);
    expect(facts?.coverage.ratio).toBeLessThan(0.5);
  });
});
