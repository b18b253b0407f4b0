import fc from "fast-check";
import { parse } from "valibot";
import { expect, test } from "vitest";
import { spanAddition } from "../../../../lib/domain/traces/append.ts";
import { mergePieces, type MergeablePiece } from "../../../../lib/domain/traces/merge-pieces.ts";
import { derivationOf } from "../../../../lib/domain/traces/derivation/derivation.ts";
import { keysHash, documentFactsOf } from "../../../../lib/domain/traces/document-facts.ts";
import type { IdentifiedSpan, TraceUpdate } from "../../../../lib/domain/traces/input.ts";
import { withRanks } from "../../../../lib/domain/traces/parts/partial-span.ts";
import { setFieldsMetadata, setMetadata } from "../../../../lib/domain/traces/parts/set-fields.ts";
import { mergeSpans, mergeTrace } from "../../../../lib/domain/traces/merge.ts";
import { modelPrice, type ModelPrice } from "../../../../lib/domain/traces/model-price.ts";
import { type SpanPiece, type TracePiece, applyPiece } from "../../../../lib/domain/traces/piece.ts";
import { shownTrace } from "../../../../lib/domain/traces/times.ts";
import { rowFactsOf, rowOf as rowWith, type TraceRow } from "../../../../lib/domain/traces/row.ts";
import { filterKeysOf } from "../../../../lib/domain/traces/span-filter-keys.ts";
import { metadataBySpans } from "../../../../lib/domain/traces/derivation/merge-telemetry.ts";
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
const mostly = <Value>(value: Value, alternatives: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: alternatives });

/** Prices of a model by two price lists, or none for a list without that model. */
const price = fc.constantFrom(
  undefined,
  modelPrice([{ input: 0.75, output: 4.5, cached: 0.075, written: 0.75, reasoning: 4.5, from: null }]),
  modelPrice([{ input: 2, output: 3, cached: 2, written: 2, reasoning: 3, from: "2026-10-01T10:00:04+00:00" }]),
);
const withPrice = <Sent extends { readonly model?: string | null | undefined }>(sent: Sent, price?: ModelPrice) =>
  price === undefined || (sent.model ?? null) === null ? sent : { ...sent, price };

const span = (telemetry: boolean): fc.Arbitrary<IdentifiedSpan> =>
  fc
    .record({
      span_id: fc.constantFrom(...ids),
      name: label,
      started_at: instant,
      ended_at: fc.option(instant, { nil: undefined }),
      parent_span_id: fc.oneof(fc.constant(null), fc.constantFrom(...ids.slice(0, 8), "far")),
      kind: fc.constantFrom("LLM" as const, "AGENT" as const, "OTHER" as const),
      status: fc.constantFrom("OK" as const, "ERROR" as const, "UNSET" as const),
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
      prompt: fc.constantFrom(null, null, "a", "b"),
      traceMetadata: mostly<string | null>(null, label),
      resource: mostly("r1", fc.constantFrom("r2", "r3")),
      isCalled: fc.boolean(),
      setName: fc.constantFrom(null, null, null, "a", "b"),
      setInput: fc.constantFrom(null, null, null, "a", "b"),
      setOutput: fc.constantFrom(null, null, null, "a", "b"),
      price,
    })
    .map(
      ({
        session,
        prompt,
        traceMetadata,
        resource,
        isCalled,
        setName,
        setInput,
        setOutput,
        price: spanPrice,
        ...spanFields
      }) =>
        Object.assign(withPrice(spanFields, spanPrice), {
          metadata: telemetry
            ? {
                [telemetryKeys.resource]: resource,
                ...(session === null ? {} : { [telemetryKeys.session]: session }),
                ...(prompt === null ? {} : { [telemetryKeys.promptName]: prompt, [telemetryKeys.experiment]: prompt }),
                ...(traceMetadata === null ? {} : { a: traceMetadata, [telemetryKeys.traceMetadata]: ["a"] }),
                ...(isCalled ? { [telemetryKeys.remoteParent]: true } : {}),
                [telemetryKeys.traceName]: setName,
                [telemetryKeys.traceInput]: setInput,
                [telemetryKeys.traceOutput]: setOutput,
              }
            : {},
        }),
    );

const resources = {
  [resourceKey("r1")]: { "service.version": "1" },
  [resourceKey("r2")]: { "deployment.environment": "eu" },
};

type Telemetry = [
  spans: readonly IdentifiedSpan[],
  metadata: object,
  name: string,
  settings: { readonly metadata?: object },
];

/** Fields that a client sets for a trace apart from its spans, and the metadata that names them; mostly none. */
const settings = fc.oneof(
  { weight: 9, arbitrary: fc.constant({}) },
  fc
    .tuple(fc.record({ name: label, session_id: label, input: label }, { requiredKeys: [] }), fc.option(label), instant)
    .map(([fields, value, start]) =>
      Object.assign({}, fields, {
        metadata: {
          ...(value !== null && { a: value }),
          ...setFieldsMetadata([...Object.keys(fields), ...(value === null ? [] : [`${setMetadata}a`])], start),
        },
      }),
    ),
);

/** Spans sent in parts: some of them name the parts' ranks. */
const parts = fc
  .array(fc.tuple(span(true), fc.constantFrom(null, null, null, 0, 2)), { maxLength: 3 })
  .map((list) =>
    list.map(([each, rank]) =>
      rank === null ? each : withRanks(each, { rank, others: { name: -1, started_at: -1 } }),
    ),
  );

const telemetry: fc.Arbitrary<SpanPiece> = fc
  .tuple(parts, mostly<object>({}, fc.constant({ [resourceKey("r1")]: {} })), label, settings)
  .map(([spans, additionalMetadata, name, { metadata: setMetadataOfTrace = {}, ...fields }]: Telemetry) => ({
    kind: "telemetry",
    trace: {
      trace_id: "t",
      name,
      started_at: instants[0] ?? "",
      tags: [name],
      spans,
      ...fields,
      metadata: {
        ...metadataBySpans(mergeSpans([], spans)),
        "otel.trace_id": "t",
        ...resources,
        ...additionalMetadata,
        ...setMetadataOfTrace,
      },
    },
  }));

const added = fc.array(span(false), { maxLength: 2 });
const spans = added.map((spanList): SpanPiece => ({ kind: "spans", spans: spanList }));
const tracePieces = fc
  .record({ name: label, started_at: instant, session_id: fc.option(label), tags: fc.array(label), spans: added })
  .map((trace): SpanPiece => ({ kind: "trace", trace: { trace_id: "t", ...trace } }));
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
  .map(({ spanId, update: { model, ...update }, price: updatePrice }) => ({
    kind: "span-patch",
    spanId,
    update: model === undefined ? update : withPrice({ ...update, model }, updatePrice),
  }));
const repriced: fc.Arbitrary<TracePiece> = fc
  .tuple(label, price)
  .map(([model, modelPrice]) => ({ kind: "prices", prices: modelPrice === undefined ? [] : [[model, modelPrice]] }));

/** A time in which nothing arrives. */
const silence = fc.constant("silence" as const);

/** Streams of telemetry and of spans, sometimes patched and sent again, or silent. */
const streams = fc.oneof(
  fc.tuple(
    fc.constant(true),
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: telemetry },
        { weight: 1, arbitrary: patch },
        { weight: 1, arbitrary: spans },
        { weight: 2, arbitrary: silence },
      ),
      {
        maxLength: 11,
      },
    ),
  ),
  fc.tuple(
    fc.constant(false),
    fc.array(fc.oneof(spans, tracePieces, patch, spanPatch, spans, telemetry, repriced, spans, silence), {
      maxLength: 11,
    }),
  ),
);

const initialState = {
  version: 1,
  contentVersion: 1,
  arrivedAt: 0,
  changedAt: 0,
  incarnation: "i",
  pieces: [],
  appendState: null,
};
const numbers = { model: (name: string) => name.length, tool: (name: string) => name.length };
const keys = ["a", "otel.trace_id"];
const rowOf = (trace: Trace, storedState: typeof initialState): TraceRow =>
  rowWith(trace, { ...storedState, facts: rowFactsOf(trace, numbers, keys) });
const isAdding = (piece: TracePiece): piece is SpanPiece => !piece.kind.endsWith("patch") && piece.kind !== "prices";

const first = fc
  .tuple(fc.array(span(true), { minLength: 1, maxLength: 2 }), fc.boolean())
  .map(([firstSpans, derives]) =>
    mergeTrace(null, {
      trace_id: "t",
      name: "first",
      started_at: firstSpans[0]?.started_at ?? "",
      spans: derives ? firstSpans : firstSpans.map((each) => ({ ...each, metadata: {} })),
      metadata: derives ? { ...metadataBySpans(mergeSpans([], firstSpans)), "otel.trace_id": "t", ...resources } : {},
    }),
  );

/**
 * Applies a stream as storage does.
 * @returns how often the document was not needed, and the pieces with a flag for each that joins the row
 */
const follow = (firstTrace: Trace, pieces: readonly (TracePiece | "silence")[], check: boolean) => {
  let [trace, row, facts]: [Trace, TraceRow, ReturnType<typeof documentFactsOf>] = [
    firstTrace,
    rowOf(firstTrace, initialState),
    documentFactsOf(firstTrace, keysHash(keys)),
  ];
  const open: MergeablePiece[] = [];
  let unread = 0;
  for (const piece of pieces) {
    if (piece === "silence") {
      if (row.ending === "awaited") row = rowOf(shownTrace(trace, "silence"), initialState);
      continue;
    }
    const marks = filterKeysOf(trace.spans);
    const next = applyPiece(trace, piece);
    const is = rowOf(isAdding(piece) ? next : shownTrace(next, row.ending), initialState);
    const appended = isAdding(piece) ? spanAddition(row, facts, piece, numbers, keys) : null;
    const addedKeys = appended?.filterKeys((key) => appended.lookupKeys.has(key) && marks.has(key)) ?? null;
    if (appended !== null && addedKeys !== null) {
      unread += 1;
      const really = documentFactsOf(next, keysHash(keys));
      if (check) {
        expect({ ...is, ...appended.content }).toEqual(is);
        expect(filterKeysOf(next.spans).difference(marks.union(addedKeys))).toEqual(new Set());
        expect(appended.facts.bytes + appended.facts.inputOutputBytes).toBeGreaterThanOrEqual(
          really.bytes + really.inputOutputBytes - 10_000,
        );
        expect(appended.facts.bytes + appended.facts.inputOutputBytes).toBeGreaterThanOrEqual(
          Buffer.byteLength(JSON.stringify({ ...next, tags: [] })),
        );
        expect(really.isExact).toBe(true);
        if (appended.facts.derivation !== null) {
          const { isPure, tops, ...derivation } = appended.facts.derivation;
          const { tops: reallyTops = null, ...rest } = derivationOf(next) ?? {};
          expect(rest).toMatchObject(isPure ? { ...derivation, isPure } : derivation);
          // Callers of spans that changed nothing are not in the row.
          expect({ ...reallyTops, callers: null }).toEqual({ ...tops, callers: null });
          expect(tops?.callers.isSubsetOf(reallyTops?.callers ?? new Set()) ?? true).toBe(true);
        }
      }
      [trace, row, facts] = [next, { ...is, ...appended.content }, appended.facts];
      open.push({ piece, isMergeable: appended.isMergeable });
    } else {
      [trace, row, facts] = [next, is, documentFactsOf(next, keysHash(keys))];
      open.push({ piece, isMergeable: false });
    }
  }
  return { trace, unread, open };
};

test("the packed row decides about new spans exactly as the document would, or reports that it cannot", () => {
  let unread = 0;
  fc.assert(
    fc.property(first, streams, (firstTrace, [, pieces]) => {
      unread += follow(firstTrace, pieces, true).unread;
    }),
    { numRuns: 2_600 },
  );
  expect(unread).toBeGreaterThan(1_000);
});

test("a failed step that arrives after its run fails it, until another step follows", () => {
  const run = (id: string, parent: string | null, status: "UNSET" | "ERROR", at: number): IdentifiedSpan => ({
    span_id: id,
    parent_span_id: parent,
    name: id,
    kind: "AGENT",
    status,
    started_at: `2026-10-01T10:00:0${at}+00:00`,
    ended_at: `2026-10-01T10:00:${19 - at}+00:00`,
    metadata: { [telemetryKeys.resource]: "r1" },
  });
  const traceWith = (...sent: readonly IdentifiedSpan[]) => ({
    trace_id: "t",
    name: "s0",
    started_at: "2026-10-01T10:00:00+00:00",
    spans: sent,
    metadata: { "otel.trace_id": "t", ...resources },
  });
  const pieces = [run("s2", "s0", "ERROR", 4), run("s3", "s0", "UNSET", 3)].map((each): SpanPiece => ({
    kind: "telemetry",
    trace: traceWith(each),
  }));
  const firstTrace = mergeTrace(null, traceWith(run("s0", null, "UNSET", 0), run("s1", "s0", "UNSET", 5)));

  expect(pieces.map((_, at) => follow(firstTrace, pieces.slice(0, at + 1), true).trace.status)).toEqual([
    "ERROR",
    "COMPLETED",
  ]);
});

test("merged pieces have the same effect as the single pieces in order", () => {
  let joined = 0;
  fc.assert(
    fc.property(first, streams, fc.nat(2), (firstTrace, [, pieces], from) => {
      const changes = pieces.filter((piece) => piece !== "silence");
      const { trace, open } = follow(firstTrace, changes, false);
      const asStored = open.slice(from).flatMap((each) => {
        const piece = pieceToStore(each.piece);
        return piece === null ? [] : [{ ...each, piece: parse(storedPiece, piece) }];
      });
      const together = mergePieces(asStored);
      joined += asStored.length - together.length;
      const before = changes.slice(0, from).reduce(applyPiece, firstTrace);
      const after = together.reduce((sum, { piece }) => applyPiece(sum, piece), before);
      expect({ ...after, tags: [] }).toEqual({ ...trace, tags: [] });
    }),
    { numRuns: 1_000 },
  );
  expect(joined).toBeGreaterThan(200);
});
