import { expect, test } from "vitest";
import { ingestDollars, judgingDollars, keepingDollars, traceMonths } from "../vitals/traffic-bill.ts";

const gib = 2 ** 30 / 1_000_000;

test("sending a million traces costs their units, their calls, the functions' time and their log", () => {
  // By hand: 16 write units at $0.625, 8 read units at $0.125, the gateway's $3.50, two functions at $0.20,
  // 0.07 s of half a GB at $0.0000133334 a million times, 700 bytes of log at $0.50 a GB.
  const byHand = 10 + 1 + 3.5 + 0.4 + 0.466669 + 0.325963;

  expect(ingestDollars({ calls: 1, read: 8, write: 16 })).toBeCloseTo(byHand, 4);
  // In batches of ten, only the cost per call is a tenth.
  expect(ingestDollars({ calls: 0.1, read: 8, write: 16 })).toBeCloseTo(11 + (byHand - 11) / 10, 4);
});

test("storing a GB costs $0.25, and $0.20 for its recovery, $0.10 in Standard-IA, by table", () => {
  const storedBytes = { bodies: 10 * gib, rows: gib };

  expect(keepingDollars(storedBytes, { tableClass: {}, withoutRecovery: [] })).toBeCloseTo(11 * 0.45);
  expect(
    keepingDollars(storedBytes, { tableClass: { bodies: "STANDARD_INFREQUENT_ACCESS" }, withoutRecovery: ["bodies"] }),
  ).toBeCloseTo(1 + 0.45);
});

test("traces stored for three years add up to 666 months of a month's traces", () => {
  expect(traceMonths(1, 36)).toBe(666);
  expect(traceMonths(100, 36)).toBe(66_600);
});

test("a million judgements cost their tokens by the price list and their units", () => {
  const each = { promptTokens: 9_000, completionTokens: 600, read: 8, write: 16 };

  expect(judgingDollars(each, { input: 0.75, output: 4.5 })).toEqual({ model: 6750 + 2700, store: 11 });
});
