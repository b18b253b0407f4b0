import { describe, expect, test } from "vitest";
import { readCheck } from "../../../../lib/domain/checks/read-check.ts";
import type { JsonObject } from "../../../../lib/domain/json.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";
import { span, trace } from "../../judge/fixtures.ts";
import { checked } from "./check-result.ts";

const crashed = trace({ status: "ERROR", input: null, output: null, ended_at: null, spans: [] });

/** Checks that a trace without anything must not pass, with the code of what they lack. */
const checks: readonly (readonly [JsonObject, string])[] = [
  [{ type: "lacks", text: "password" }, "empty_output"],
  [{ type: "contains", of: "input", text: "order" }, "empty_input"],
  [{ not: { type: "matches", pattern: "[0-9]{16}" } }, "empty_output"],
  [{ type: "lacks", of: "span_inputs", text: "DROP TABLE" }, "no_spans"],
  [{ type: "length", max: 1000 }, "empty_output"],
  [{ type: "json", of: "span_outputs" }, "no_spans"],
  [{ type: "cost_usd", max: 1 }, "no_spans"],
  [{ type: "tokens", max: 1000 }, "no_spans"],
  [{ type: "tool_calls", max: 5 }, "no_spans"],
  [{ not: { type: "required_tool", tool: "refund" } }, "no_spans"],
  [{ type: "tool_before", tool: "confirm", before: "refund" }, "no_spans"],
  [{ type: "error_rate", max: 0.1 }, "no_spans"],
  [{ type: "retries", max: 0 }, "no_spans"],
  [{ type: "documents_cited" }, "no_retrieved_documents"],
];

describe("a crashed trace without output and spans", () => {
  test.each(checks)("does not pass %j: it does not apply", (check, code) => {
    expect(checked(check, crashed)).toMatchObject({
      holds: null,
      inapplicable: code,
      reason: expect.stringMatching(/^The check does not apply\. \S+ does not apply: /u),
    });
  });

  test.each(["pass", "fail"] as const)("has the result that a condition names for it: %s", (absent) => {
    const { holds, inapplicable } = checked({ type: "lacks", text: "password", absent }, crashed);

    expect({ holds, inapplicable }).toEqual({ holds: absent === "pass", inapplicable: null });
  });

  test("fails a check of which another part fails, and is undecided where another part is open", () => {
    const lacks = { type: "lacks", text: "password" };

    expect(checked({ all: [lacks, { type: "required_tool", tool: "a", absent: "fail" }] }, crashed).holds).toBe(false);
    expect(checked({ all: [lacks, { type: "latency_ms", max: 10 }] }, crashed)).toMatchObject({
      holds: null,
      inapplicable: null,
    });
  });
});

const answered = trace({ spans: [span("a", { kind: "LLM", output: "Hello" })] });

describe("a demanded call of a tool", () => {
  test.each<[string, Trace]>([
    ["no span at all", crashed],
    ["spans of other kinds only", answered],
    ["calls of other tools only", trace({ spans: [span("a", { kind: "TOOL", name: "search" })] })],
  ])("is missing from an ended trace with %s", (_, ended) => {
    for (const demand of [
      { type: "required_tool", tool: "refund" },
      { type: "tool_calls", tool: "refund", min: 1 },
      { not: { not: { type: "required_tool", tool: "refund" } } },
    ])
      expect(checked(demand, ended)).toMatchObject({ holds: false, inapplicable: null });
  });

  test("can still come on a trace that has not ended", () => {
    const check = { type: "required_tool", tool: "refund" };

    expect(checked(check, { ...crashed, status: "RUNNING" })).toMatchObject({ holds: null, inapplicable: null });
  });

  test("is not demanded where the condition says that its absence passes", () => {
    expect(checked({ type: "required_tool", tool: "refund", absent: "pass" }, crashed).holds).toBe(true);
  });
});

describe("an order of two tools of which the later one is not called", () => {
  const order = { type: "tool_before", tool: "confirm", before: "refund" };
  const confirmed = trace({ spans: [span("a", { kind: "TOOL", name: "confirm" })] });

  test.each<JsonObject>([order, { not: order }])("does not apply: %j", (check) => {
    expect(checked(check, confirmed)).toMatchObject({
      holds: null,
      inapplicable: "tool_not_called",
      reason: expect.stringContaining("does not apply"),
    });
  });

  test("has the result that the condition names for it", () => {
    expect(checked({ ...order, absent: "pass" }, confirmed).holds).toBe(true);
  });
});

test("a share of failed tool calls needs a tool call", () => {
  expect(checked({ type: "error_rate", over: "tools", max: 0 }, answered)).toMatchObject({
    holds: null,
    inapplicable: "no_tool_calls",
  });
  expect(checked({ type: "error_rate", max: 0 }, answered).holds).toBe(true);
});

test("only pass and fail are results for a missing input", () => {
  expect(readCheck({ type: "lacks", text: "a", absent: "skip" }).flaws).toEqual([
    { path: ["absent"], msg: "Input should be one of pass, fail" },
  ]);
  expect(readCheck({ type: "lacks", text: "a" }).check).not.toHaveProperty("absent");
});

describe.each(["RUNNING", "PENDING"] as const)("a trace that is %s", (status) => {
  const running = (fields: Partial<Trace> = {}): Trace =>
    trace({
      status,
      ended_at: null,
      spans: [
        span("a", { kind: "TOOL", name: "search", status: "ERROR", error: "timed out", output: "none" }),
        span("b", { kind: "TOOL", name: "search", output: "found order 12", token_usage: { prompt_tokens: 50 } }),
      ],
      ...fields,
    });

  test.each<JsonObject>([
    { type: "lacks", of: "span_outputs", text: "password" },
    { type: "contains", of: "span_outputs", text: "password" },
    { type: "lacks", text: "password" },
    { type: "contains", text: "shipped" },
    { type: "length", of: "span_outputs", max: 100 },
    { type: "tokens", max: 100 },
    { type: "tokens", min: 100 },
    { type: "tool_calls", max: 5 },
    { type: "tool_calls", min: 3, max: 5 },
    { type: "required_tool", tool: "refund" },
    { type: "tool_before", tool: "search", before: "refund" },
    { type: "error_rate", max: 0.9 },
    { type: "error_rate", max: 0.1 },
    { type: "retries", max: 3 },
  ])("is not judged by %j, which later spans can change", (check) => {
    const { holds, inapplicable, reason } = checked(check, running());

    expect({ holds, inapplicable }).toEqual({ holds: null, inapplicable: null });
    expect(reason).toContain("and the trace has not ended");
  });

  test.each<readonly [JsonObject, boolean]>([
    [{ type: "lacks", of: "span_outputs", text: "order 12" }, false],
    [{ type: "contains", of: "span_outputs", text: "order 12" }, true],
    [{ type: "contains", of: "input", text: "ORD-1" }, true],
    [{ type: "length", of: "span_outputs", max: 10 }, false],
    [{ type: "tokens", max: 10 }, false],
    [{ type: "tokens", min: 10 }, true],
    [{ type: "tool_calls", min: 1, max: 1 }, false],
    [{ type: "required_tool", tool: "search" }, true],
    [{ type: "tool_before", tool: "refund", before: "search" }, false],
    [{ type: "error_rate", max: 0 }, false],
    [{ type: "retries", max: 0 }, false],
  ])("is judged by %j, which nothing can change any more", (check, holds) => {
    expect(checked(check, running()).holds).toBe(holds);
  });

  test("can still get the input that it lacks", () => {
    const check = { type: "lacks", text: "password", absent: "pass" };

    expect(checked(check, running({ output: null }))).toMatchObject({ holds: null, inapplicable: null });
  });
});
