import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCheck } from "../../../../lib/domain/checks/read-check.ts";
import type { Json } from "../../../../lib/domain/json.ts";
import { span, trace } from "../../judge/fixtures.ts";
import { sentChecks, traces, values } from "./arbitrary-checks.ts";
import { checked } from "./check-result.ts";
import { referenceTruth } from "./reference.ts";

/** Runs of the property-based test: `CHECKS=20000` for a campaign. */
const numRuns = Number(process.env["CHECKS"] ?? "300");

const failing = trace({
  output: "Refunded order 12.",
  spans: [
    span("s1", { kind: "TOOL", name: "search", status: "ERROR", error: "timed out" }),
    span("s2", { kind: "TOOL", name: "search" }),
    span("s3", { kind: "TOOL", name: "refund", input: { sql: "DROP TABLE orders" } }),
    span("s4", { kind: "TOOL", name: "refund" }),
  ],
});

describe("a check", () => {
  test("has the same result as an independent reference implementation", () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(sentChecks, traces, values, (input, trace, expected) => {
        const { check } = readCheck(input);
        if (check === null) throw new Error("The check cannot be read.");
        const isUnexpected = expected === null && JSON.stringify(input).includes('"expected_output"');
        const reference = isUnexpected ? "open" : referenceTruth(check, { ...trace, expected });
        outcomes.add(reference);
        expect(checked(input, trace, expected).holds).toBe({ yes: true, no: false, open: null }[reference]);
      }),
      { numRuns },
    );
    expect([...outcomes].toSorted()).toEqual(["no", "open", "yes"]);
  });

  test.each<[string, Json, string]>([
    [
      "too many calls, by the first that is too many",
      { type: "tool_calls", tool: "refund", max: 1 },
      'The check fails. condition fails: "refund" has at most 1 call; there are 2 (span s4, "refund").',
    ],
    [
      "what failed inside of all, not what held",
      {
        all: [
          { type: "contains", text: "order" },
          { type: "error_rate", over: "tools", max: 0.1 },
        ],
      },
      'The check fails. all[1] fails: the share of failed calls of tools is at most 0.1; 1 of 4 failed (span s1, "search").',
    ],
    [
      "all that failed inside of any",
      {
        any: [
          { type: "required_tool", tool: "ask" },
          { type: "lacks", text: "order" },
        ],
      },
      'The check fails. any[0] fails: "ask" is called; it is not. any[1] fails: the output lacks "order"; the text is there.',
    ],
    [
      "what held inside of not, and the span it stands in",
      { not: { type: "matches", of: "span_inputs", span: "refund", pattern: "(?i)drop\\s+table" } },
      'The check fails. not holds: an input of "refund" matches "(?i)drop\\\\s+table"; the pattern is found (span s3, "refund").',
    ],
    [
      "a call that came too early",
      { type: "tool_before", tool: "confirm", before: "refund" },
      'The check fails. condition fails: "confirm" is called before "refund"; there is no call of "confirm" before its first call (span s3, "refund").',
    ],
    [
      "a retry",
      { type: "retries", max: 0 },
      'The check fails. condition fails: tools have at most 0 retries; there are 1 (span s2, "search").',
    ],
  ])("names the failed condition and its span: %s", (_, input, reason) => {
    expect(checked(input, failing)).toMatchObject({ holds: false, reason });
  });

  test("lists in its details the ids of the deciding spans", () => {
    const { details, spans } = checked(
      {
        all: [
          { type: "error_rate", max: 0 },
          { type: "retries", max: 0 },
        ],
      },
      failing,
    );
    expect(details).toMatchObject({
      conditions: [
        { path: "all[0]", type: "error_rate", holds: false, spans: ["s1"] },
        { path: "all[1]", type: "retries", holds: false, spans: ["s2"] },
      ],
    });
    expect(spans).toEqual([
      { id: "s1", name: "search" },
      { id: "s2", name: "search" },
    ]);
  });

  test("is undecided where the trace lacks data, and decided without that data where possible", () => {
    const running = trace({ ended_at: null });
    expect(checked({ type: "latency_ms", max: 10 }, running)).toMatchObject({
      holds: null,
      reason: "The trace does not tell. condition is open: the latency is at most 10 ms; the trace has not ended.",
    });
    const either = {
      any: [
        { type: "latency_ms", max: 10 },
        { type: "contains", text: "shipped" },
      ],
    };
    expect(checked(either, running).holds).toBe(true);
    expect(
      checked(
        {
          all: [
            { type: "latency_ms", max: 10 },
            { type: "lacks", text: "shipped" },
          ],
        },
        running,
      ).holds,
    ).toBe(false);
  });

  test("keeps its reason short, however many conditions failed", () => {
    const input = { all: Array.from({ length: 30 }, () => ({ type: "lacks", text: "order" })) };
    const { reason, details } = checked(input, failing);
    expect(reason.length).toBeLessThanOrEqual(2000);
    expect(details).toMatchObject({ left_out: 20 });
  });
});

describe("retrieved documents", () => {
  const retrieved = (output: Json, answer: string) =>
    trace({ output: answer, spans: [span("r1", { kind: "RETRIEVER", name: "docs", output })] });
  const documents = [
    { document: { id: "kb-1", content: "..." }, score: 0.9 },
    { page_content: "...", metadata: { source: "https://example.com/returns" } },
    { id: 7, title: "Returns" },
  ];

  test.each<[string, Json, boolean]>([
    ["one, by its id", { min: 1 }, true],
    ["two", { min: 2 }, true],
    ["three", { min: 3 }, false],
    ["half of them", { min_share: 0.5 }, true],
    ["all of them", { min_share: 1 }, false],
  ])("are cited in the output: %s", (_, bounds, holds) => {
    const trace = retrieved(documents, "See kb-1 and https://example.com/returns.");
    expect(checked({ type: "documents_cited", ...(bounds as object) }, trace).holds).toBe(holds);
  });

  test("are not cited by a longer word that contains their name", () => {
    expect(checked({ type: "documents_cited" }, retrieved([{ id: 7 }], "It takes 17 days, kb-17."))).toMatchObject({
      holds: false,
      reason: expect.stringContaining('it names 0 of 1 (span r1, "docs")'),
    });
  });

  test.each<[string, Json]>([
    ["there is none", []],
    ["they have no names", ["a text", { content: "another" }]],
  ])("are undecided where %s", (_, output) => {
    expect(checked({ type: "documents_cited" }, retrieved(output, "kb-1")).holds).toBeNull();
  });
});

describe("a check of what is expected", () => {
  const jsonEquals = { type: "json_equals", reference: "expected_output" };
  const equals = { type: "equals", reference: "expected_output" };
  const isSimilar = (similarity: number) => ({ type: "similarity_at_least", reference: "expected_output", similarity });

  test.each<[string, Json, Json, Json, boolean | null]>([
    [
      "the order of keys and the form of numbers aside",
      jsonEquals,
      '{"b":[1e0,-0],"a":1.0}',
      { a: 1, b: [1, 0] },
      true,
    ],
    ["digits that a double cannot hold", jsonEquals, "12345678901234567890", 12345678901234567000, false],
    ["null and a key that is absent", jsonEquals, '{"a":null}', {}, false],
    ["a list and an object", jsonEquals, "[]", {}, false],
    ["a number and its text within a value", jsonEquals, '{"a":"1"}', { a: 1 }, false],
    ["a text that is no JSON", jsonEquals, "Paris", "Paris", true],
    ["a text that is JSON with telemetry that was read", equals, { x: 1 }, '{"x": 1}', true],
    ["telemetry that is text with JSON that was sent", equals, '{"x": 1}', { x: 1 }, true],
    ["two texts as they are", equals, '{"x":1}', '{"x": 1}', false],
    [
      "deep nesting",
      jsonEquals,
      "[".repeat(50_000) + "]".repeat(50_000),
      "[".repeat(50_000) + "]".repeat(50_000),
      true,
    ],
    ["an emoji as one edit of four", isSimilar(0.75), "ab\u{1f600}c", "ab\u{1f601}c", true],
    ["not a bit less", isSimilar(0.76), "ab\u{1f600}c", "ab\u{1f601}c", false],
    ["long texts whose lengths decide", isSimilar(0.9), "a".repeat(200_000), "b".repeat(100_000), false],
    ["long texts that are equal", isSimilar(1), "a".repeat(200_000), "a".repeat(200_000), true],
    ["long texts whose edits would take too long", isSimilar(0.5), "a".repeat(20_000), "b".repeat(20_000), null],
    ["spans whose lengths decide one by one", { ...isSimilar(0.9), of: "span_outputs" }, null, "a".repeat(1000), false],
  ])("compares %s", (_, check, output, expected, holds) => {
    const spans = Array.from({ length: 3 }, (_, place) => span(`s${place}`, { output: "b".repeat(60_000) }));
    expect(checked(check, trace({ output, spans }), expected)).toMatchObject({ holds, inapplicable: null });
  });

  // Counting the long text beside each span takes more than ten seconds.
  test("counts a long text once beside thousands of spans", { timeout: 5_000 }, () => {
    const spans = Array.from({ length: 5_000 }, (_, place) => span(`s${place}`, { output: `short ${place}` }));
    const check = { ...isSimilar(0.9), of: "span_outputs" };

    expect(checked(check, trace({ spans }), "word é 漢 ".repeat(125_000))).toMatchObject({ holds: false });
  });

  test("neither passes nor fails where nothing is expected, whatever its other conditions and results say", () => {
    const equals = { type: "equals", reference: "expected_output", absent: "fail" };
    const others = [
      { type: "contains", text: "Paris" },
      { type: "contains", text: "Rome" },
    ];

    for (const other of others)
      for (const check of [
        equals,
        { all: [equals, other] },
        { any: [other, equals] },
        { not: { any: [other, equals] } },
      ])
        expect(checked(check, trace({ output: "Paris" }), null)).toMatchObject({
          holds: null,
          inapplicable: "no_expected_output",
          reason: expect.stringContaining("that the trace names, as it was when the experiment began"),
        });
    const refers = { reference: "expected_output" };
    expect(checked({ type: "equals", ...refers }, trace({ output: null }), "Paris")).toMatchObject({
      holds: false,
      inapplicable: null,
    });
    for (const check of [{ type: "lacks", ...refers }, { not: { type: "equals", ...refers } }])
      expect(checked(check, trace({ output: null }), "Paris")).toMatchObject({
        holds: null,
        inapplicable: "empty_output",
      });
  });
});
