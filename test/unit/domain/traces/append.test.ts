import fc from "fast-check";
import { parse } from "valibot";
import { expect, test } from "vitest";
import { addition, type AddingPiece } from "../../../../lib/domain/traces/append.ts";
import { composed, type OpenPiece } from "../../../../lib/domain/traces/compose.ts";
import { derivationOf } from "../../../../lib/domain/traces/derivation.ts";
import { keysHash, lateFactsOf } from "../../../../lib/domain/traces/late-facts.ts";
import type { IdentifiedSpan, TraceUpdate } from "../../../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../../../lib/domain/traces/merge.ts";
import { modelPrice, type ModelPrice } from "../../../../lib/domain/traces/model-price.ts";
import { type TracePiece, withPiece } from "../../../../lib/domain/traces/piece.ts";
import { rowFactsOf, rowOf as rowWith, type TraceRow } from "../../../../lib/domain/traces/row.ts";
import { marksOf } from "../../../../lib/domain/traces/span-marks.ts";
import { resourceKey, telemetryKeys } from "../../../../lib/domain/traces/telemetry.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";
import { pieceToStore, storedPiece } from "../../../../lib/store/documents/pieces.ts";

const instants = Array.from(
  { length: 9 },
  (_, at) => `2026-10-01T1${at % 2}:00:0${at}${at % 3 === 0 ? ".250000" : ""}+00:00`,
);
const instant = fc.constantFrom(...instants);
const label = fc.constantFrom("a", "b");
const ids = Array.from({ length: 40 }, (_, at) => `s${at}`);
const mostly = <Value>(value: Value, others: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: others });

/** What a model costs by three lists: one of them does not have it. */
const price = fc.constantFrom(
  undefined,
  modelPrice([{ input: 0.75, output: 4.5, cached: 0.075, written: 0.75, reasoning: 4.5, from: null }]),
  modelPrice([{ input: 2, output: 3, cached: 2, written: 2, reasoning: 3, from: "2026-10-01T10:00:04+00:00" }]),
);
const withPrice = <Sent extends { readonly model?: string | null | undefined }>(sent: Sent, given?: ModelPrice) =>
  given === undefined || (sent.model ?? null) === null ? sent : { ...sent, price: given };

const span = (telemetry: boolean): fc.Arbitrary<IdentifiedSpan> =>
  fc
    .record({
      span_id: fc.constantFrom(...ids),
      name: label,
      started_at: instant,
      ended_at: fc.option(instant, { nil: undefined }),
      parent_span_id: fc.oneof(fc.constant(null), fc.constantFrom(...ids.slice(0, 8), "far")),
      kind: fc.constantFrom("LLM" as const, "AGENT" as const, "OTHER" as const),
      status: fc.constantFrom("OK" as const, "ERROR" as const),
      input: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
      output: fc.option(label, { nil: undefined }),
      model: fc.option(label, { nil: undefined }),
      token_usage: fc.option(fc.record({ prompt_tokens: mostly<number>(3, fc.constantFrom(0.5, 2 ** 53 - 2)) }), {
        nil: undefined,
      }),
      cost: fc.option(fc.record({ total: mostly<number>(0.1, fc.constantFrom(1e-13, 0.2, 999, 1 / 3)) }), {
        nil: undefined,
      }),
      session: fc.constantFrom(null, null, "a", "b"),
      resource: mostly("r1", fc.constantFrom("r2", "r3")),
      isCalled: fc.boolean(),
      price,
    })
    .map(({ session, resource, isCalled, price: given, ...sent }) =>
      Object.assign(withPrice(sent, given), {
        metadata: telemetry
          ? {
              [telemetryKeys.resource]: resource,
              ...(session === null ? {} : { [telemetryKeys.session]: session }),
              ...(isCalled ? { [telemetryKeys.remoteParent]: true } : {}),
            }
          : {},
      }),
    );

const resources = {
  [resourceKey("r1")]: { "service.version": "1" },
  [resourceKey("r2")]: { "deployment.environment": "eu" },
};

const telemetry: fc.Arbitrary<AddingPiece> = fc
  .tuple(fc.array(span(true), { maxLength: 3 }), mostly<object>({}, fc.constant({ [resourceKey("r1")]: {} })), label)
  .map(([spans, more, name]) => ({
    kind: "telemetry",
    trace: {
      trace_id: "t",
      name,
      started_at: instants[0] ?? "",
      tags: [name],
      spans,
      metadata: { "otel.trace_id": "t", ...resources, ...more },
    },
  }));

const added = fc.array(span(false), { maxLength: 2 });
const spans = added.map((sent): AddingPiece => ({ kind: "spans", spans: sent }));
const sent = fc
  .record({ name: label, started_at: instant, session_id: fc.option(label), tags: fc.array(label), spans: added })
  .map((trace): AddingPiece => ({ kind: "trace", trace: { trace_id: "t", ...trace } }));
const patch: fc.Arbitrary<TracePiece> = fc
  .record(
    {
      name: fc.option(label),
      status: fc.constantFrom("RUNNING" as const, "COMPLETED" as const),
      output: fc.option(label),
      session_id: fc.option(label),
      metadata: fc.dictionary(label, label, { noNullPrototype: true }),
    },
    { requiredKeys: [] },
  )
  .map((update: TraceUpdate) => ({ kind: "trace-patch", update }));
const spanPatch: fc.Arbitrary<TracePiece> = fc
  .record({
    spanId: fc.constantFrom("s0", "s1"),
    update: fc.record({ output: fc.option(label), model: fc.option(fc.option(label), { nil: undefined }) }),
    price,
  })
  .map(({ spanId, update: { model, ...update }, price: given }) => ({
    kind: "span-patch",
    spanId,
    update: model === undefined ? update : withPrice({ ...update, model }, given),
  }));
const repriced: fc.Arbitrary<TracePiece> = fc
  .tuple(label, price)
  .map(([model, given]) => ({ kind: "prices", prices: given === undefined ? [] : [[model, given]] }));

/** Streams of OpenTelemetry and of spans, patched and sent again now and then. */
const streams = fc.oneof(
  fc.tuple(
    fc.constant(true),
    fc.array(
      fc.oneof({ weight: 8, arbitrary: telemetry }, { weight: 1, arbitrary: patch }, { weight: 1, arbitrary: spans }),
      {
        maxLength: 9,
      },
    ),
  ),
  fc.tuple(
    fc.constant(false),
    fc.array(fc.oneof(spans, sent, patch, spanPatch, spans, telemetry, repriced, spans), { maxLength: 9 }),
  ),
);

const stored = { version: 1, contentVersion: 1, arrivedAt: 0, changedAt: 0, incarnation: "i", pieces: [], late: null };
const numbers = { model: (name: string) => name.length, tool: (name: string) => name.length };
const keys = ["a", "otel.trace_id"];
const rowOf = (trace: Trace, known: typeof stored): TraceRow =>
  rowWith(trace, { ...known, facts: rowFactsOf(trace, numbers, keys) });
const isAdding = (piece: TracePiece): piece is AddingPiece => !piece.kind.endsWith("patch") && piece.kind !== "prices";

const first = fc.tuple(fc.array(span(true), { minLength: 1, maxLength: 2 }), fc.boolean()).map(([own, derives]) =>
  mergeTrace(null, {
    trace_id: "t",
    name: "first",
    started_at: own[0]?.started_at ?? "",
    spans: derives ? own : own.map((each) => ({ ...each, metadata: {} })),
    metadata: derives ? { "otel.trace_id": "t", ...resources } : {},
  }),
);

/** Goes through a stream as storage does. @returns how often the document was not needed, and the pieces with whether they join. */
const follow = (begun: Trace, pieces: readonly TracePiece[], check: boolean) => {
  let [trace, row, facts]: [Trace, TraceRow, ReturnType<typeof lateFactsOf>] = [
    begun,
    rowOf(begun, stored),
    lateFactsOf(begun, keysHash(keys)),
  ];
  const open: OpenPiece[] = [];
  let unread = 0;
  for (const piece of pieces) {
    const marks = marksOf(trace.spans);
    const next = withPiece(trace, piece);
    const is = rowOf(next, stored);
    const found = isAdding(piece) ? addition(row, facts, piece, numbers, keys) : null;
    if (found !== null && found.marksAgainst.isDisjointFrom(marks)) {
      unread += 1;
      const really = lateFactsOf(next, keysHash(keys));
      if (check) {
        expect({ ...is, ...found.content }).toEqual(is);
        expect(found.marks.union(marks)).toEqual(marksOf(next.spans));
        expect(found.facts.bytes + found.facts.edges).toBeGreaterThanOrEqual(really.bytes + really.edges - 10_000);
        expect(found.facts.bytes + found.facts.edges).toBeGreaterThanOrEqual(
          Buffer.byteLength(JSON.stringify({ ...next, tags: [] })),
        );
        expect(really.exact).toBe(true);
        if (found.facts.derivation !== null) {
          const { isPure, ...derivation } = found.facts.derivation;
          expect(derivationOf(next)).toMatchObject(isPure ? { ...derivation, isPure } : derivation);
        }
      }
      [trace, row, facts] = [next, { ...is, ...found.content }, found.facts];
      open.push({ piece, joins: found.joins });
    } else {
      [trace, row, facts] = [next, is, lateFactsOf(next, keysHash(keys))];
      open.push({ piece, joins: false });
    }
  }
  return { trace, unread, open };
};

test("a row says of spans that come to its trace exactly what the document would, or that it does not know", () => {
  let unread = 0;
  fc.assert(
    fc.property(first, streams, (begun, [, pieces]) => {
      unread += follow(begun, pieces, true).unread;
    }),
    { numRuns: 1_500 },
  );
  expect(unread).toBeGreaterThan(1_000);
});

test("pieces that were put together do what they did one after the other", () => {
  let joined = 0;
  fc.assert(
    fc.property(first, streams, fc.nat(2), (begun, [, pieces], from) => {
      const { trace, open } = follow(begun, pieces, false);
      const asStored = open.slice(from).flatMap((each) => {
        const piece = pieceToStore(each.piece);
        return piece === null ? [] : [{ ...each, piece: parse(storedPiece, piece) }];
      });
      const together = composed(asStored);
      joined += asStored.length - together.length;
      const before = pieces.slice(0, from).reduce(withPiece, begun);
      const after = together.reduce((sum, { piece }) => withPiece(sum, piece), before);
      expect({ ...after, tags: [] }).toEqual({ ...trace, tags: [] });
    }),
    { numRuns: 1_000 },
  );
  expect(joined).toBeGreaterThan(200);
});
