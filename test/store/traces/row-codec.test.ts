import fc from "fast-check";
import { expect, test } from "vitest";
import { followingKeys, type Derivation } from "../../../lib/domain/traces/derivation.ts";
import type { LateKnowledge, RowFacts, TraceRow } from "../../../lib/domain/traces/row.ts";
import { totalCost, totalTokens, type Contribution } from "../../../lib/domain/traces/totals.ts";
import { traceStatuses } from "../../../lib/domain/traces/trace.ts";
import { packRow, unpackRow } from "../../../lib/store/traces/row-codec.ts";
import { byteWriter } from "../../../lib/store/bytes/writer.ts";
import { words } from "../../../lib/store/bytes/words.ts";
import { writeTail } from "../../../lib/store/traces/row-tail.ts";
import { rowKey } from "../../../lib/store/traces/keys.ts";

const two = (value: number): string => String(value).padStart(2, "0");

/** Instants of every century, those that are whole seconds and those that are not. */
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

const teller = fc.oneof(fc.constant(null), fc.constant("root" as const), instant);

const derivation: fc.Arbitrary<Derivation> = fc.record({
  root: fc.option(fc.record({ at: instant, calledFrom: fc.option(fc.uuid()) })),
  told: fc.record({ session_id: teller, user_id: teller, environment: teller, release: teller }),
  input: fc.record({ teller, follows: fc.boolean() }),
  follows: fc.subarray([...followingKeys]).map((keys) => new Set(keys)),
  isPure: fc.boolean(),
  resources: fc
    .dictionary(text, text, { maxKeys: 3, noNullPrototype: true })
    .map((hashes) => new Map(Object.entries(hashes))),
});

const late: fc.Arbitrary<LateKnowledge> = fc.record({
  mergedAt: fc.nat(),
  facts: fc.record({
    bytes: fc.nat(),
    edges: fc.nat(),
    exact: fc.boolean(),
    keys: fc.nat(2 ** 32 - 1),
    derivation: fc.option(derivation),
  }),
  marks: fc.record({
    inFirstPart: fc.boolean(),
    filters: fc.array(fc.record({ id: fc.string(), count: fc.nat() }), { maxLength: 3 }),
    recent: fc.array(fc.nat(2 ** 32 - 1), { maxLength: 5 }),
  }),
  ages: fc.array(fc.record({ tier: fc.nat(100), joins: fc.boolean() }), { minLength: 4, maxLength: 4 }),
});

const names = (most: number) =>
  fc.record({
    numbers: fc.uniqueArray(fc.nat(1_000), { maxLength: most }).map((all) => all.toSorted((a, b) => a - b)),
    more: fc.boolean(),
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
    late: fc.option(late),
  })
  .map((given) =>
    Object.assign(given, {
      changedAt: Math.max(given.arrivedAt, given.changedAt),
      totalTokens: totalTokens(given.contributions),
      totalCost: totalCost(given.contributions),
      late: given.late && { ...given.late, ages: given.late.ages.slice(0, given.pieces.length) },
    }),
  );

const withPreview = (of: TraceRow, preview: string | null): TraceRow => ({
  ...of,
  facts: of.facts && { ...of.facts, preview },
});

const someFacts: RowFacts = {
  spans: {
    errors: 2,
    models: { numbers: [0, 7, 1_000], more: false },
    tools: { numbers: [3], more: true },
    costs: ["client"],
    unpricedTokens: 12,
  },
  preview: "Where is my order?",
  metadata: [
    { key: "tier", value: "gold" },
    { key: "note", value: null },
  ],
};

const project = "11111111-2222-4333-8444-555555555555";

const itemOf = (of: TraceRow) => ({
  ...rowKey(project, of.traceId, of.startedAt),
  d: packRow(of),
  v: of.version,
  c: of.contentVersion,
  i: of.incarnation,
});

test("a row comes back as it was packed", () => {
  fc.assert(
    fc.property(row, (given) => {
      const found = unpackRow(itemOf(given));
      expect(withPreview(found, null)).toEqual(withPreview(given, null));
      expect(given.facts?.preview ?? "").toContain(found.facts?.preview ?? "");
    }),
    { numRuns: 1000 },
  );
});

test("a preview never costs a write unit: it is as long as what is left of the last one", () => {
  const units = (of: TraceRow): number => Math.ceil((110 + packRow(of).length) / 1024);
  fc.assert(
    fc.property(row, facts, (given, told) => {
      const whole = { ...given, facts: { ...told, preview: "é".repeat(120) } };
      expect(units(whole)).toBe(units(withPreview(whole, null)));
    }),
  );
  const roomy = { ...largest(1), tags: [], name: "x", facts: { ...someFacts, preview: "é".repeat(120) } };
  const short = { ...roomy, sessionId: "s", userId: "u", environment: null, release: null, contributions: [] };
  const small = { ...short, totalTokens: 0, totalCost: 0, pieces: [] };
  expect(unpackRow(itemOf(small))).toEqual(small);
});

test("a row that says nothing beside its own fields is the beginning of one that does: both versions read either", () => {
  fc.assert(
    fc.property(row, facts, (given, told) => {
      const [before, after] = [packRow({ ...given, facts: null }), packRow({ ...given, facts: told })];
      expect(after.subarray(0, before.length)).toEqual(before);
      expect(unpackRow({ ...itemOf(given), d: before }).facts).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test("fields that this code does not know are skipped", () => {
  const given = { ...largest(1), facts: someFacts };
  const tail = byteWriter();
  writeTail(tail, [[99, Buffer.from("of a later version")]]);

  expect(unpackRow({ ...itemOf(given), d: Buffer.concat([packRow(given), tail.finish()]) })).toEqual(given);
});

/** The largest row that the contract allows. */
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
    late: null,
  };
};

test("the largest row that can be sent fits an item", () => {
  const packed = packRow(largest(10_000));

  expect(packed.length).toBeGreaterThan(70_000);
  expect(packed.length).toBeLessThan(100_000);
});

test("a row that an earlier version has packed again, or that lost what it knew, says nothing of late spans", () => {
  fc.assert(
    fc.property(row, late, (given, known) => {
      const late = { ...known, ages: known.ages.slice(0, given.pieces.length) };
      const [with_, without] = [
        packRow({ ...given, facts: null, late }),
        packRow({ ...given, facts: null, late: null }),
      ];
      expect(with_.subarray(0, without.length)).toEqual(without);
      expect(unpackRow({ ...itemOf(given), d: without }).late).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test("contributions that take too many bytes are left out, their totals stay exact", () => {
  const given = largest(500);

  expect(unpackRow(itemOf(given))).toEqual({ ...given, contributions: null });
});

test("contributions of up to 8 KiB stay", () => {
  const given = largest(10);

  expect(unpackRow(itemOf(given)).contributions).toEqual(given.contributions);
});

test("a row without contributions stays without them when it is packed again", () => {
  const once = unpackRow(itemOf(largest(500)));

  expect(unpackRow(itemOf(once))).toEqual(once);
});

test("a word keeps the number it is stored with", () => {
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
