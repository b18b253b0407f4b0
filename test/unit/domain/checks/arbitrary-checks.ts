import fc from "fast-check";
import type { Json, JsonObject } from "../../../../lib/domain/json.ts";
import type { Span, Trace } from "../../../../lib/domain/traces/trace.ts";
import { span, trace } from "../../judge/fixtures.ts";

const names = fc.constantFrom("search", "refund", "lookup");
const words = fc.constantFrom("a", "ab", "Order 12", "order", "", "ß", "\u{1f600}b", "[1]", '{"a":1}');
/** Values of a trace, and what is expected of it. */
export const values: fc.Arbitrary<Json> = fc.oneof(words, fc.constant(null), fc.constant({ a: [1, "order"] }));

const spans: fc.Arbitrary<Span> = fc
  .record({
    name: names,
    kind: fc.constantFrom("TOOL", "TOOL", "LLM", "OTHER"),
    status: fc.constantFrom("OK", "ERROR", "UNSET"),
    error: fc.constantFrom(null, null, "timed out"),
    input: values,
    output: values,
    token_usage: fc.constantFrom<(JsonObject | null)[]>(null, { prompt_tokens: 10, completion_tokens: 2 }),
    cost: fc.constantFrom<(JsonObject | null)[]>(null, { total: 0.25 }),
  })
  .map((fields) => span("", fields));

/** Traces whose spans share few names, so that some conditions hold. */
export const traces: fc.Arbitrary<Trace> = fc
  .record({
    input: values,
    output: values,
    ended_at: fc.constantFrom(null, "2026-03-01T10:00:02+00:00", "2026-03-01T10:00:00.250000+00:00"),
    spans: fc.array(spans, { maxLength: 6 }),
  })
  .map(({ spans: spanFields, ...fields }) =>
    trace({ ...fields, spans: spanFields.map((each, place) => ({ ...each, span_id: `s${place}` })) }),
  );

const ofText = {
  of: fc.constantFrom("output", "input", "span_outputs", "span_inputs", "expected_output"),
  span: fc.option(names, { nil: undefined }),
};
const flag = fc.boolean();
const within = (bounds: readonly number[]) =>
  fc
    .tuple(fc.option(fc.constantFrom(...bounds)), fc.option(fc.constantFrom(...bounds)))
    .filter(([min, max]) => min !== null || max !== null)
    .map(([a, b]) => (a !== null && b !== null ? { min: Math.min(a, b), max: Math.max(a, b) } : { min: a, max: b }));
const countBounds = within([0, 1, 2, 3]);
const text = fc.constantFrom("a", "order", "Order 12", "\u{1f600}");
const tool = fc.option(names, { nil: undefined });

const bounded = (type: string, bounds: fc.Arbitrary<object>, fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.tuple(fc.record(fields), bounds).map(([fieldValues, limits]) => Object.assign({ type }, fieldValues, limits));

const comparands = fc.oneof(
  fc.record({ text }),
  fc.record({ reference: fc.constantFrom("expected_output", "output", "input") }),
);

const compared = (type: fc.Arbitrary<string>, fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc
    .tuple(fc.record({ type, ...ofText, ...fields }), comparands)
    .map(([field, comparand]) => Object.assign({}, field, comparand));

const kinds = fc.oneof(
  fc.record({
    type: fc.constant("matches"),
    ...ofText,
    pattern: fc
      .constantFrom("^a", "b$", "[0-9]+", "o(r|d)+er", "", "(a|b)*c?", ".", "^.{2}$", "\\[1\\]")
      .filter(Boolean),
    ignore_case: flag,
  }),
  compared(fc.constantFrom("contains", "lacks"), { ignore_case: flag }),
  compared(fc.constantFrom("equals", "equals_ignoring_case", "json_equals")),
  compared(fc.constant("similarity_at_least"), { similarity: fc.constantFrom(0.2, 0.5, 0.75, 1) }),
  bounded("length", within([0, 1, 2, 5, 20]), ofText),
  fc.record({ type: fc.constant("json"), ...ofText }),
  bounded("latency_ms", within([0, 250, 1000, 2000])),
  bounded("cost_usd", within([0, 0.25, 0.5, 1])),
  bounded("tokens", within([0, 12, 24, 30])),
  bounded("tool_calls", countBounds, { tool }),
  fc.record({ type: fc.constant("required_tool"), tool: names }),
  fc.record({ type: fc.constant("tool_before"), tool: names, before: names }),
  bounded("error_rate", within([0, 0.25, 0.5, 1]), { over: fc.constantFrom("spans", "tools") }),
  bounded("retries", countBounds, { tool }),
);

const absent = fc.constantFrom({}, {}, { absent: "pass" }, { absent: "fail" });
const conditions = fc.tuple(kinds, absent).map(([kind, fields]) => Object.assign({}, kind, fields));

/** Checks in the form of the API, nested three levels at most. */
export const sentChecks: fc.Arbitrary<Json> = fc.letrec<{ check: object }>((tie) => {
  const parts = fc.array(tie("check"), { minLength: 1, maxLength: 3 });
  return {
    check: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      conditions,
      parts.map((all) => ({ all })),
      parts.map((any) => ({ any })),
      tie("check").map((not) => ({ not })),
    ),
  };
}).check as fc.Arbitrary<Json>;
