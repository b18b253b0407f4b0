import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeTrace } from "../../../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../../../lib/domain/traces/input.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";
import { identifiedTraces } from "../../../support/traces/arbitrary-traces.ts";

const traces = identifiedTraces("t");
const merged = (updates: readonly IdentifiedTrace[]): Trace | null => updates.reduce<Trace | null>(mergeTrace, null);

const permutations = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, index) =>
        permutations(items.filter((_, otherIndex) => otherIndex !== index)).map((permutation) =>
          [item].concat(permutation),
        ),
      );

test("a delivery repeated at once changes nothing", () => {
  fc.assert(
    fc.property(fc.array(traces, { maxLength: 4 }), traces, (before, update) => {
      const once = mergeTrace(merged(before), update);
      expect(mergeTrace(once, update)).toEqual(once);
    }),
  );
});

test("a merged trace merged into nothing is unchanged", () => {
  fc.assert(
    fc.property(fc.array(traces, { minLength: 1, maxLength: 4 }), (updates) => {
      const trace = merged(updates);
      const document: IdentifiedTrace = JSON.parse(JSON.stringify(trace));
      expect(JSON.stringify(mergeTrace(null, document))).toBe(JSON.stringify(trace));
    }),
  );
});

const optional = ["input", "output", "ended_at", "session_id", "environment", "status"] as const;

test("null and absent fields never overwrite a value", () => {
  fc.assert(
    fc.property(traces, traces, (first, update) => {
      const before = mergeTrace(null, first);
      const after = mergeTrace(before, update);
      for (const field of optional) expect(after[field]).toEqual(update[field] ?? before[field]);
      expect(Object.keys(after.metadata)).toEqual(expect.arrayContaining(Object.keys(before.metadata)));
      expect(after.spans.map(({ span_id }) => span_id)).toEqual(
        expect.arrayContaining(before.spans.map(({ span_id }) => span_id)),
      );
    }),
  );
});

/** Updates of disjoint parts: each with its own tag, metadata key and span. */
const disjoint = fc.integer({ min: 1, max: 5 }).map((count) =>
  Array.from({ length: count }, (_, index): IdentifiedTrace => ({
    trace_id: "t",
    name: "agent",
    started_at: "2026-10-01T10:00:00+00:00",
    tags: [`tag ${index}`, "shared"],
    metadata: { [`key ${index}`]: index },
    spans: [{ span_id: `span ${index}`, name: "call", started_at: "2026-10-01T10:00:00+00:00" }],
    ...(index === 0 ? { session_id: "s" } : index === 1 ? { output: { done: true } } : {}),
  })),
);

test("tags, metadata, spans and fields set by one update are the same in any order", () => {
  const bySpan = (trace: Trace | null) =>
    trace === null ? null : { ...trace, spans: trace.spans.toSorted((a, b) => a.span_id.localeCompare(b.span_id)) };
  fc.assert(
    fc.property(disjoint, (updates) => {
      const expected = bySpan(merged(updates));
      for (const order of permutations(updates)) expect(isDeepStrictEqual(bySpan(merged(order)), expected)).toBe(true);
    }),
    { numRuns: 10 },
  );
});

test("a span keeps its first parent, and defaults apply to its first version only", () => {
  const span = { span_id: "s", name: "call", started_at: "2026-10-01T10:00:00+00:00" };
  const first: IdentifiedTrace = {
    trace_id: "t",
    name: "agent",
    started_at: "2026-10-01T10:00:00+00:00",
    status: "RUNNING",
    spans: [{ ...span, parent_span_id: "p1", kind: "TOOL", status: "OK", input: 1 }],
  };

  const after = merged([first, { ...first, status: undefined, spans: [{ ...span, parent_span_id: "p2", output: 2 }] }]);

  expect(after).toMatchObject({
    status: "RUNNING",
    spans: [{ parent_span_id: "p1", kind: "TOOL", status: "OK", input: 1, output: 2 }],
  });
});

test("a span without a parent does not get one later", () => {
  const span = { span_id: "s", name: "call", started_at: "2026-10-01T10:00:00+00:00" };
  const update = { trace_id: "t", name: "agent", started_at: span.started_at };

  const after = merged([
    { ...update, spans: [span] },
    { ...update, spans: [{ ...span, parent_span_id: "p" }] },
  ]);

  expect(after?.spans[0]?.parent_span_id).toBeNull();
});

test("tags are distinct and ordered by code point", () => {
  const trace = { trace_id: "t", name: "a", started_at: "2026-10-01T10:00:00+00:00" };

  const after = merged([
    { ...trace, tags: ["\u{1f600}", "b", "\uffee", "a"] },
    { ...trace, tags: ["b", "A"] },
  ]);

  expect(after?.tags).toEqual(["A", "a", "b", "\uffee", "\u{1f600}"]);
});
