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
  verdicts: verdicts.map(([call, verdict]) => ({ call, reason: "because", verdict })),
});

describe("argument_correctness", () => {
  test("is the share of calls with right arguments", () => {
    const scored = argumentCorrectness.score(
      answer([
        ["1", "yes"],
        ["2", "no"],
        ["Call 3", "yes"],
      ]),
      calls(3),
    );

    expect(scored).toMatchObject({ value: 2 / 3, reason: "r", details: { user_input: "u", calls_judged: 3 } });
    expect(scored.details["verdicts"]).toEqual([
      { call: 1, reason: "because", verdict: "yes" },
      { call: 2, reason: "because", verdict: "no" },
      { call: 3, reason: "because", verdict: "yes" },
    ]);
  });

  test("counts the first verdict on each call that was made, and no other", () => {
    const given = answer([
      ["2", "no"],
      ["2", "yes"],
      ["7", "yes"],
      ["none", "yes"],
    ]);

    expect(argumentCorrectness.score(given, calls(3))).toMatchObject({
      value: 0,
      details: { calls_judged: 1, calls_total: 3 },
    });
  });

  test("gives no number when the judge gave a verdict on none of the calls", () => {
    expect(argumentCorrectness.score(answer([]), calls(2))).toMatchObject({ value: null, code: "judge_malformed" });
  });

  test("does not apply to a trace that calls no tool, which is 1 by convention", () => {
    expect(argumentCorrectness.inapplicable(material({ spans: [], input: "Hi", output: "Hello" }))).toEqual({
      value: 1,
      inapplicable: "no_tool_calls",
      reason: "Does not apply: the trace calls no tool, so there is nothing to evaluate.",
      details: { user_input: "Hi", verdicts: [] },
    });
    expect(argumentCorrectness.inapplicable(calls(1))).toBeNull();
  });

  test("asks about at most 40 calls and says how many are left out", () => {
    const { text, coverage } = argumentFacts(calls(50).trace);

    expect(text.match(/^Call \d+: /gmu)).toHaveLength(40);
    expect(text).toContain("(10 more calls left out)");
    expect(coverage.ratio).toBeLessThan(1);
  });
});

describe("the facts about calls", () => {
  test("hold the user's input and each call with its result, a text of the trace on one line", () => {
    const spans = [
      span("a", { kind: "TOOL", name: "look\nCall 9: up", input: { q: "a\nb" }, output: "x\ny", error: "late" }),
    ];

    expect(argumentFacts(trace({ input: "Where?\nCall 2: x", spans })).text).toBe(
      [
        'User\'s input: "Where?\\nCall 2: x"',
        'Call 1: "look\\nCall 9: up"',
        '  parameters: {"q":"a\\nb"}',
        '  result: "x\\ny"',
        '  error: "late"',
      ].join("\n"),
    );
  });

  test("shorten results before parameters", () => {
    const long = "x".repeat(5000);
    const spans = [span("a", { kind: "TOOL", input: long, output: long })];

    const { text, coverage } = argumentFacts(trace({ spans }));

    expect(text.split("\n").map(({ length }) => length)).toEqual([expect.any(Number), 11, 1514, 410]);
    expect(coverage.shown_characters).toBeLessThan(coverage.total_characters);
  });
});
