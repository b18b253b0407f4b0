import { expect, test } from "vitest";
import { ingestDollars, judgingDollars, keepingDollars, traceMonths } from "../../vitals/traffic-bill.ts";

const gib = 2 ** 30 / 1_000_000;

test("sending a million traces costs units, calls, the time of functions and of the stream's worker, and log lines", () => {
  // By hand: 16 write units at $0.625, 8 read units at $0.125; per call the gateway's $3.50, two functions at $0.20, 0.07 s of half
  // a GB at $0.0000133334 a million times; per batch two calls at $0.20 and 0.1 s of a GB; 500 bytes of log at $0.53 a GB.
  const [units, perCall, perBatch, logs] = [10 + 1, 3.5 + 0.4 + 0.466669, 0.4 + 1.33334, 0.246801];
  const ingest = { read: 8, write: 16, loggedByCall: 300, loggedByBatch: 200 };

  expect(ingestDollars({ ...ingest, calls: 1, batches: 1 })).toBeCloseTo(units + perCall + perBatch + logs, 4);
  // In batches of ten, only the cost per call and per batch is a tenth.
  expect(ingestDollars({ ...ingest, calls: 0.1, batches: 0.1 })).toBeCloseTo(
    units + (perCall + perBatch + logs) / 10,
    4,
  );
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
