import fc from "fast-check";
import { parse } from "valibot";
import { expect, test } from "vitest";
import type { SpanUpdate, TraceUpdate } from "../../../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../../../lib/domain/traces/merge.ts";
import { foldPieces, type TracePiece, applyPiece } from "../../../../lib/domain/traces/piece.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";
import { pieceToStore, storedPiece } from "../../../../lib/store/documents/pieces.ts";
import { identifiedTraces } from "../../../support/traces/arbitrary-traces.ts";

const nullable = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const word = fc.constantFrom("", "a", "b");

const traceUpdates: fc.Arbitrary<TraceUpdate> = fc.record(
  {
    name: nullable(fc.constantFrom("n", "m")),
    status: nullable(fc.constantFrom("ERROR" as const, "RUNNING" as const)),
    input: nullable(word),
    output: nullable(word),
    metadata: nullable(fc.dictionary(word, nullable(word), { noNullPrototype: true })),
    ended_at: nullable(fc.constant("2026-10-01T10:00:00+00:00")),
    session_id: nullable(word),
    tags: nullable(fc.array(word, { maxLength: 3 })),
  },
  { requiredKeys: [] },
);

const spanUpdates: fc.Arbitrary<SpanUpdate> = fc.record(
  {
    name: nullable(fc.constantFrom("n", "m")),
    kind: nullable(fc.constantFrom("LLM" as const, "TOOL" as const)),
    input: nullable(word),
    error: nullable(word),
    metadata: nullable(fc.dictionary(word, nullable(word), { noNullPrototype: true })),
    token_usage: nullable(fc.constant({ prompt_tokens: 1 })),
    model: nullable(fc.constantFrom("m", "n")),
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

/** The trace read back from document pieces that were stored one by one; tags are stored in the packed row. */
const readBack = (storedPieces: readonly TracePiece[]): Trace =>
  foldPieces(
    storedPieces.flatMap((piece) => {
      const newPiece = pieceToStore(piece);
      return newPiece === null ? [] : [parse(storedPiece, JSON.parse(JSON.stringify(newPiece)))];
    }),
  );

test("a trace read back from stored pieces equals the trace after the same changes in memory", () => {
  fc.assert(
    fc.property(traces, fc.array(pieces, { maxLength: 6 }), (first, laterPieces) => {
      const expectedTrace = laterPieces.reduce(applyPiece, mergeTrace(null, first));

      expect({ ...readBack([{ kind: "trace", trace: first }, ...laterPieces]), tags: expectedTrace.tags }).toEqual(
        expectedTrace,
      );
    }),
  );
});

test("a trace that is merged into one piece is read back unchanged", () => {
  fc.assert(
    fc.property(traces, fc.array(pieces, { maxLength: 4 }), (first, laterPieces) => {
      const expectedTrace = laterPieces.reduce(applyPiece, mergeTrace(null, first));

      expect({ ...readBack([{ kind: "trace", trace: expectedTrace }]), tags: expectedTrace.tags }).toEqual(
        expectedTrace,
      );
    }),
  );
});

test("a piece that is applied twice changes nothing the second time", () => {
  fc.assert(
    fc.property(traces, pieces, (first, piece) => {
      const once = applyPiece(mergeTrace(null, first), piece);

      expect(applyPiece(once, piece)).toEqual(once);
    }),
  );
});

test("a change of tags alone has no piece to store: tags are in the packed row", () => {
  expect(pieceToStore({ kind: "trace-patch", update: { tags: ["a"] } })).toBeNull();
  expect(pieceToStore({ kind: "trace-patch", update: { tags: ["a"], input: null } })).toEqual({
    kind: "trace-patch",
    update: { input: null },
  });
});

test("a document whose first piece is not the trace is refused", () => {
  expect(() => foldPieces([{ kind: "spans", spans: [] }])).toThrow("first piece");
  expect(() => foldPieces([])).toThrow("first piece");
});
