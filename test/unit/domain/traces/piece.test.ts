import fc from "fast-check";
import { parse } from "valibot";
import { expect, test } from "vitest";
import type { SpanUpdate, TraceUpdate } from "../../../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../../../lib/domain/traces/merge.ts";
import { foldPieces, type TracePiece, withPiece } from "../../../../lib/domain/traces/piece.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";
import { pieceToStore, storedPiece } from "../../../../lib/store/documents/pieces.ts";
import { identifiedTraces } from "../../../support/traces/arbitrary-traces.ts";

const given = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const word = fc.constantFrom("", "a", "b");

const traceUpdates: fc.Arbitrary<TraceUpdate> = fc.record(
  {
    name: given(fc.constantFrom("n", "m")),
    status: given(fc.constantFrom("ERROR" as const, "RUNNING" as const)),
    input: given(word),
    output: given(word),
    metadata: given(fc.dictionary(word, given(word), { noNullPrototype: true })),
    ended_at: given(fc.constant("2026-10-01T10:00:00+00:00")),
    session_id: given(word),
    tags: given(fc.array(word, { maxLength: 3 })),
  },
  { requiredKeys: [] },
);

const spanUpdates: fc.Arbitrary<SpanUpdate> = fc.record(
  {
    name: given(fc.constantFrom("n", "m")),
    kind: given(fc.constantFrom("LLM" as const, "TOOL" as const)),
    input: given(word),
    error: given(word),
    metadata: given(fc.dictionary(word, given(word), { noNullPrototype: true })),
    token_usage: given(fc.constant({ prompt_tokens: 1 })),
    model: given(fc.constantFrom("m", "n")),
  },
  { requiredKeys: [] },
);

const traces = identifiedTraces("t");

const pieces: fc.Arbitrary<TracePiece> = fc.oneof(
  traces.map((trace) => ({ kind: "trace" as const, trace })),
  traces.map(({ spans = [] }) => ({ kind: "spans" as const, spans })),
  traceUpdates.map((update) => ({ kind: "trace-patch" as const, update })),
  fc
    .tuple(fc.constantFrom("s1", "s2", "unknown"), spanUpdates)
    .map(([spanId, update]) => ({ kind: "span-patch" as const, spanId, update })),
  fc
    .tuple(fc.constantFrom("m", "n"), fc.constantFrom([[3, 4]] as const, [[1, 2]] as const))
    .map(([model, price]) => ({ kind: "prices" as const, prices: [[model, price] as const] })),
);

/** What is read back of pieces that were stored one by one; tags lie elsewhere. */
const readBack = (stored: readonly TracePiece[]): Trace =>
  foldPieces(
    stored.flatMap((piece) => {
      const kept = pieceToStore(piece);
      return kept === null ? [] : [parse(storedPiece, JSON.parse(JSON.stringify(kept)))];
    }),
  );

test("what is read back of stored pieces is what was done, one after the other, whatever it was", () => {
  fc.assert(
    fc.property(traces, fc.array(pieces, { maxLength: 6 }), (first, others) => {
      const done = others.reduce(withPiece, mergeTrace(null, first));

      expect({ ...readBack([{ kind: "trace", trace: first }, ...others]), tags: done.tags }).toEqual(done);
    }),
  );
});

test("a trace that is folded into one piece is read back as it was", () => {
  fc.assert(
    fc.property(traces, fc.array(pieces, { maxLength: 4 }), (first, others) => {
      const done = others.reduce(withPiece, mergeTrace(null, first));

      expect({ ...readBack([{ kind: "trace", trace: done }]), tags: done.tags }).toEqual(done);
    }),
  );
});

test("a piece that is applied twice changes nothing the second time", () => {
  fc.assert(
    fc.property(traces, pieces, (first, piece) => {
      const once = withPiece(mergeTrace(null, first), piece);

      expect(withPiece(once, piece)).toEqual(once);
    }),
  );
});

test("a change of nothing but tags has nothing to store, tags lie in the row", () => {
  expect(pieceToStore({ kind: "trace-patch", update: { tags: ["a"] } })).toBeNull();
  expect(pieceToStore({ kind: "trace-patch", update: { tags: ["a"], input: null } })).toEqual({
    kind: "trace-patch",
    update: { input: null },
  });
});

test("a document that does not begin with the trace is refused", () => {
  expect(() => foldPieces([{ kind: "spans", spans: [] }])).toThrow("first piece");
  expect(() => foldPieces([])).toThrow("first piece");
});
