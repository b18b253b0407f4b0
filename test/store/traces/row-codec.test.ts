import fc from "fast-check";
import { expect, test } from "vitest";
import { derivedKeys, type Derivation } from "../../../lib/domain/traces/derivation/derivation.ts";
import type { AppendState, RowFacts, TraceRow } from "../../../lib/domain/traces/row.ts";
import { totalCost, totalTokens, type Contribution } from "../../../lib/domain/traces/totals.ts";
import { traceStatuses } from "../../../lib/domain/traces/trace.ts";
import { writeTail } from "../../../lib/dynamo/bytes/writer.ts";
import { packRow, unpackRow } from "../../../lib/store/traces/row-codec.ts";
import { byteWriter } from "../../../lib/dynamo/bytes/writer.ts";
import { words } from "../../../lib/dynamo/bytes/text.ts";
import { rowKey } from "../../../lib/store/traces/keys.ts";

const two = (value: number): string => String(value).padStart(2, "0");

/** Instants in several centuries, with and without a fraction of a second. */
const instant = fc
  .tuple(
    fc.oneof(fc.constantFrom(1, 1969, 9999), fc.integer({ min: 2025, max: 2027 })),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
    fc.nat(23),
    fc.nat(59),
    fc.oneof(fc.constant(0), fc.nat(999_999)),
  )
  .map(
    ([year, month, day, hour, second, micros]) =>
      `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:07:${two(second)}` +
      `${micros === 0 ? "" : `.${String(micros).padStart(6, "0")}`}+00:00`,
  );

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }).filter((value) => value.isWellFormed()),
  fc.constantFrom(...words),
  fc.uuid().map((id) => `session-${id}`),
  fc.uuid(),
  fc.uuid().map((id) => `${id}\n`),
  fc.constantFrom("", "PROD", "x".repeat(41), "x".repeat(42), "x".repeat(43), "é".repeat(255)),
);
const label = fc.option(text);

const amount = fc.oneof(
  fc.nat(100_000),
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.0017118, 1e-12, 1e-300, 1e308),
);

const contribution: fc.Arbitrary<Contribution> = fc.record({
  hour: instant.map((at) => at.slice(0, 13)),
  model: label,
  calls: fc.integer({ min: 1, max: 10_000 }),
  promptTokens: amount,
  completionTokens: amount,
  cost: amount,
});

const labelSource = fc.oneof(fc.constant(null), fc.constant("root" as const), instant);

const setting = fc.option(fc.record({ started_at: instant, ended_at: fc.option(instant) }));

const derivation: fc.Arbitrary<Derivation> = fc.record({
  tops: fc.option(
    fc.record({
      at: instant,
      callers: fc.array(fc.uuid(), { maxLength: 3 }).map((ids) => new Set(ids)),
      endedAt: fc.option(instant),
      isOpen: fc.boolean(),
      hasFailed: fc.boolean(),
      hasInconclusive: fc.boolean(),
    }),
  ),
  sources: fc.record({ session_id: labelSource, user_id: labelSource, environment: labelSource, release: labelSource }),
  settings: fc.record({ name: setting, input: setting }),
  inputs: fc.record({ head: fc.option(instant), conversation: fc.option(instant), isSame: fc.boolean() }),
  isInputDerived: fc.boolean(),
  derived: fc.subarray([...derivedKeys]).map((keys) => new Set(keys)),
  isPure: fc.boolean(),
  resources: fc
    .dictionary(text, text, { maxKeys: 3, noNullPrototype: true })
    .map((hashes) => new Map(Object.entries(hashes))),
});

const appendState: fc.Arbitrary<AppendState> = fc.record({
  mergedAt: fc.nat(),
  facts: fc.record({
    bytes: fc.nat(),
    inputOutputBytes: fc.nat(),
    isExact: fc.boolean(),
    keys: fc.nat(2 ** 32 - 1),
    derivation: fc.option(derivation),
  }),
  spanIds: fc.record({
    hasUsageKeys: fc.boolean(),
    inFirstPart: fc.boolean(),
    filters: fc.array(fc.record({ id: fc.string(), count: fc.nat() }), { maxLength: 3 }),
    recent: fc.array(fc.nat(2 ** 32 - 1), { maxLength: 5 }),
  }),
  ages: fc.array(fc.record({ tier: fc.nat(100), isMergeable: fc.boolean() }), { minLength: 4, maxLength: 4 }),
});

const names = (maxCount: number) =>
  fc.record({
    numbers: fc.uniqueArray(fc.nat(1_000), { maxLength: maxCount }).map((values) => values.toSorted((a, b) => a - b)),
    hasMore: fc.boolean(),
  });

const facts: fc.Arbitrary<RowFacts> = fc.record({
  spans: fc.record({
    errors: fc.nat(10_000),
    models: names(16),
    tools: names(32),
    costs: fc.constantFrom<RowFacts["spans"]["costs"][]>([], ["client"], ["prices"], ["client", "prices"]),
    unpricedTokens: fc.maxSafeNat(),
  }),
  preview: fc.option(fc.string({ unit: "binary", maxLength: 40 }).map((value) => value.toWellFormed())),
  metadata: fc.array(fc.record({ key: text, value: label }), { maxLength: 3 }),
  provenance: fc.record({
    prompts: fc.array(fc.record({ name: label, version: label }), { maxLength: 3 }),
    experiment: label,
    experimentItem: label,
    experimentId: label,
    dataset: label,
  }),
  firstError: fc.option(fc.record({ at: instant, text })),
});

const clock = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2030, 0) });

const row: fc.Arbitrary<TraceRow> = fc
  .record({
    traceId: fc.uuid(),
    name: text,
    status: fc.constantFrom(...traceStatuses),
    startedAt: instant,
    endedAt: fc.option(instant),
    sessionId: label,
    userId: label,
    tags: fc.array(text, { maxLength: 5 }),
    environment: label,
    release: label,
    ending: fc.constantFrom("awaited" as const, "silence" as const, null),
    spanCount: fc.nat(10_000),
    firstSpanAt: fc.option(instant),
    lastSpanAt: fc.option(instant),
    contributions: fc.array(contribution, { maxLength: 4 }),
    facts: fc.option(facts),
    version: fc.integer({ min: 1, max: 1_000_000 }),
    contentVersion: fc.integer({ min: 1, max: 1_000_000 }),
    arrivedAt: clock,
    changedAt: clock,
    incarnation: fc.constantFrom("AbCdEf12", "xyz_-xyz"),
    pieces: fc.array(fc.record({ id: fc.constantFrom("AbCdEf12", "other"), parts: fc.nat(100) }), { maxLength: 4 }),
    appendState: fc.option(appendState),
  })
  .map((fields) =>
    Object.assign(fields, {
      changedAt: Math.max(fields.arrivedAt, fields.changedAt),
      totalTokens: totalTokens(fields.contributions),
      totalCost: totalCost(fields.contributions),
      appendState: fields.appendState && {
        ...fields.appendState,
        ages: fields.appendState.ages.slice(0, fields.pieces.length),
      },
    }),
  );

const withPreview = (traceRow: TraceRow, preview: string | null): TraceRow => ({
  ...traceRow,
  facts: traceRow.facts && { ...traceRow.facts, preview },
});

const someFacts: RowFacts = {
  spans: {
    errors: 2,
    models: { numbers: [0, 7, 1_000], hasMore: false },
    tools: { numbers: [3], hasMore: true },
    costs: ["client"],
    unpricedTokens: 12,
  },
  preview: "Where is my order?",
  metadata: [
    { key: "tier", value: "gold" },
    { key: "note", value: null },
  ],
  provenance: {
    prompts: [{ name: "greeting", version: "3" }],
    experiment: "nightly",
    experimentItem: null,
    experimentId: null,
    dataset: null,
  },
  firstError: { at: "2026-11-26T10:00:00.123456+00:00", text: "billing is down" },
};

const project = "11111111-2222-4333-8444-555555555555";

const itemOf = (traceRow: TraceRow) => ({
  ...rowKey(project, traceRow.traceId, traceRow),
  d: packRow(traceRow),
  v: traceRow.version,
  c: traceRow.contentVersion,
  i: traceRow.incarnation,
});

test("a row survives packing and unpacking", () => {
  fc.assert(
    fc.property(row, (traceRow) => {
      const unpacked = unpackRow(itemOf(traceRow));
      expect(withPreview(unpacked, null)).toEqual(withPreview(traceRow, null));
      expect(traceRow.facts?.preview ?? "").toContain(unpacked.facts?.preview ?? "");
    }),
    { numRuns: 1000 },
  );
});

test("a preview never costs a write unit: it is cut to the room that is left in the last unit", () => {
  const units = (traceRow: TraceRow): number => Math.ceil((110 + packRow(traceRow).length) / 1024);
  fc.assert(
    fc.property(row, facts, (traceRow, otherFacts) => {
      const withLongPreview = { ...traceRow, facts: { ...otherFacts, preview: "é".repeat(120) } };
      expect(units(withLongPreview)).toBe(units(withPreview(withLongPreview, null)));
    }),
  );
  const roomy = { ...largest(1), tags: [], name: "x", facts: { ...someFacts, preview: "é".repeat(120) } };
  const short = { ...roomy, sessionId: "s", userId: "u", environment: null, release: null, contributions: [] };
  const small = { ...short, totalTokens: 0, totalCost: 0, pieces: [] };
  expect(unpackRow(itemOf(small))).toEqual(small);
});

test("the bytes of a row without facts are the beginning of those with facts, so that both versions read either", () => {
  fc.assert(
    fc.property(row, facts, (traceRow, otherFacts) => {
      const [before, after] = [packRow({ ...traceRow, facts: null }), packRow({ ...traceRow, facts: otherFacts })];
      expect(after.subarray(0, before.length)).toEqual(before);
      expect(unpackRow({ ...itemOf(traceRow), d: before }).facts).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test("unknown fields of a later version are skipped", () => {
  const traceRow = { ...largest(1), facts: someFacts };
  const tail = byteWriter();
  writeTail(tail, [[99, Buffer.from("of a later version")]]);

  expect(unpackRow({ ...itemOf(traceRow), d: Buffer.concat([packRow(traceRow), tail.finish()]) })).toEqual(traceRow);
});

/** The largest row that the API allows, with `models` contributions. */
const largest = (models: number): TraceRow => {
  const wide = (length: number, index = 0): string => `${index}`.padEnd(length, "\u{ffff}");
  const contributions = Array.from({ length: models }, (_, index) => ({
    hour: "2026-10-01T10",
    model: wide(255, index),
    calls: 1,
    promptTokens: 0.1,
    completionTokens: 1e300,
    cost: 0.1 + index * 1e-15,
  }));
  return {
    traceId: "87fbf747-9cb8-4dfe-b47d-23673f277d11",
    name: wide(512),
    status: "ERROR",
    startedAt: "2026-10-01T10:00:00.000001+00:00",
    endedAt: "9999-12-31T23:59:59.999999+00:00",
    sessionId: wide(255),
    userId: wide(255),
    tags: Array.from({ length: 100 }, (_, index) => wide(255, index)),
    environment: wide(255),
    release: wide(255),
    ending: "awaited",
    spanCount: 10_000,
    firstSpanAt: "0001-01-01T00:00:00+00:00",
    lastSpanAt: "9999-12-31T23:59:59.999999+00:00",
    totalTokens: totalTokens(contributions),
    totalCost: totalCost(contributions),
    contributions,
    facts: null,
    version: 1,
    contentVersion: 1,
    arrivedAt: Date.UTC(2026, 9, 1),
    changedAt: Date.UTC(2027, 9, 1),
    incarnation: "AbCdEf12",
    pieces: Array.from({ length: 64 }, (_, index) => ({ id: `piece-${index}`, parts: 100 })),
    appendState: null,
  };
};

test("the largest row fits an item", () => {
  const packed = packRow(largest(10_000));

  expect(packed.length).toBeGreaterThan(70_000);
  expect(packed.length).toBeLessThan(100_000);
});

test("the bytes of a row without append state are the beginning of those with it, and unpack to a null state", () => {
  fc.assert(
    fc.property(row, appendState, (traceRow, state) => {
      const appendState = { ...state, ages: state.ages.slice(0, traceRow.pieces.length) };
      const [withState, withoutState] = [
        packRow({ ...traceRow, facts: null, appendState }),
        packRow({ ...traceRow, facts: null, appendState: null }),
      ];
      expect(withState.subarray(0, withoutState.length)).toEqual(withoutState);
      expect(unpackRow({ ...itemOf(traceRow), d: withoutState }).appendState).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test("contributions that take too many bytes are omitted, and their totals stay exact", () => {
  const traceRow = largest(500);

  expect(unpackRow(itemOf(traceRow))).toEqual({ ...traceRow, contributions: null });
});

test("contributions of up to 8 KiB are kept", () => {
  const traceRow = largest(10);

  expect(unpackRow(itemOf(traceRow)).contributions).toEqual(traceRow.contributions);
});

test("a row without contributions is packed again without them", () => {
  const once = unpackRow(itemOf(largest(500)));

  expect(unpackRow(itemOf(once))).toEqual(once);
});

test("the numbers of common words never change", () => {
  expect(words.slice(0, 3)).toEqual(["production", "prod", "staging"]);
  expect([words.indexOf("gpt-5.4-mini"), words.indexOf("internal")]).toEqual([22, 59]);
  expect(new Set(words).size).toBe(words.length);
});

test.each([
  ["of an earlier form", Buffer.of(1, 0, 1)],
  ["that is cut off", packRow(largest(1)).subarray(0, 100)],
  ["with a word nobody knows", Buffer.concat([Buffer.of(8, 0, 255, 255, 3), Buffer.alloc(100)])],
])("a row %s is refused", (_name, d) => {
  expect(() => unpackRow({ ...itemOf(largest(1)), d })).toThrow(/packed|ends too early/);
});
