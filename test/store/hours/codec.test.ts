import fc from "fast-check";
import { expect, test } from "vitest";
import { hourText } from "../../../lib/domain/analytics/bucket.ts";
import { latenciesOfHour } from "../../../lib/domain/analytics/latencies.ts";
import { limitModelNames } from "../../../lib/domain/analytics/model-usage.ts";
import { packFigures, packModelUsage, unpackFigures, unpackModelUsage } from "../../../lib/store/hours/codec.ts";

const latency = fc.oneof(fc.nat(10_000_000), fc.bigInt(0n, 2n ** 53n).map(Number), fc.constantFrom(0, 3e17));
const amount = fc.oneof(fc.nat(), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }));

test("hourly figures with their latency sketch survive packing and unpacking", () => {
  const latencies = fc.oneof(
    fc.array(latency, { maxLength: 20 }),
    fc.array(latency, { minLength: 1_001, maxLength: 1_010 }),
  );
  fc.assert(
    fc.property(fc.nat(), fc.nat(), latencies, (traces, errors, values) => {
      const figures = { traces, errors, latencySum: values.length * 7, latencies: latenciesOfHour(values) };
      expect(unpackFigures(packFigures(figures))).toEqual(figures);
    }),
    { numRuns: 50 },
  );
});

test("hourly model usage survives packing and unpacking", () => {
  const model = fc.record({
    model: fc.option(fc.string({ unit: "grapheme", maxLength: 20 }), { nil: null }),
    calls: fc.nat(),
    promptTokens: amount,
    completionTokens: amount,
    cost: amount,
  });
  const hour = fc.integer({ min: -17_000_000, max: 70_000_000 }).map(hourText);
  fc.assert(
    fc.property(fc.array(fc.tuple(hour, fc.array(model, { maxLength: 4 })), { maxLength: 4 }), (usage) => {
      expect(unpackModelUsage(packModelUsage(usage))).toEqual(usage);
    }),
  );
});

test("packed data of another format is refused", () => {
  const figures = packFigures({ traces: 1, errors: 0, latencySum: 0, latencies: latenciesOfHour([]) });

  expect(() => unpackModelUsage(figures)).toThrow("unknown form");
  expect(() => unpackFigures(packModelUsage([]))).toThrow("unknown form");
});

test("the largest hour packs far below an item's 400 KB, and 48 of them below a transaction's 4 MB", () => {
  const usage = Array.from({ length: 2_000 }, (_, index) => ({
    model: `${"\u{1f600}".repeat(index % 9)}${index}`,
    calls: Number.MAX_SAFE_INTEGER,
    promptTokens: Math.PI * 1e300,
    completionTokens: Math.PI,
    cost: Math.PI,
  }));
  const latencies = latenciesOfHour(Array.from({ length: 20_000 }, (_, index) => Math.round(1.0021 ** index)));

  const packed = packModelUsage([["2026-10-01T10", limitModelNames(usage)]]).length;
  const figures = packFigures({ traces: 20_000, errors: 20_000, latencySum: 3e300, latencies }).length;

  expect(packed + figures).toBeLessThan(120_000);
  expect(48 * packed + figures + 300_000).toBeLessThan(4 * 1024 * 1024);
});
