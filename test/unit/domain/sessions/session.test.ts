import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionSum, type SummarizedTrace } from "../../../../lib/domain/sessions/session.ts";
import { latencyOf } from "../../../../lib/domain/traces/row.ts";
import { traceStatuses } from "../../../../lib/domain/traces/trace.ts";

const instant = fc.constantFrom(
  "2026-10-01T10:00:00+00:00",
  "2026-10-01T10:00:00.100000+00:00",
  "2026-10-01T10:00:00.300001+00:00",
  "2026-10-02T00:00:00+00:00",
);

const part: fc.Arbitrary<SummarizedTrace> = fc
  .record({
    traceId: fc.uuid(),
    startedAt: instant,
    endedAt: fc.option(instant),
    status: fc.constantFrom(...traceStatuses),
    userId: fc.option(fc.constantFrom("u1", "u2")),
    tags: fc.subarray(["a", "b", "c"]),
    spanCount: fc.nat(20),
    totalTokens: fc.nat(1000),
    totalCost: fc.constantFrom(0, 0.1, 0.2, 0.7),
    facts: fc.constant(null),
    arrivedAt: fc.nat(1000),
  })
  .map((trace) => Object.assign(trace, { latency: latencyOf(trace.startedAt, trace.endedAt) }));

const sumOf = (parts: readonly SummarizedTrace[]) => {
  const sum = new SessionSum("s");
  for (const trace of parts) sum.add(trace);
  return sum.session();
};

test("a session does not depend on the order in which its traces are read", () => {
  const shuffled = fc
    .uniqueArray(part, { minLength: 1, maxLength: 8, selector: ({ traceId }) => traceId })
    .chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));
  fc.assert(
    fc.property(shuffled, ([parts, shuffledParts]) => {
      expect(sumOf(shuffledParts)).toEqual(sumOf(parts));
    }),
    { numRuns: 500 },
  );
});

test("a session is the same when the sums of its parts are added up", () => {
  const parts = fc.uniqueArray(part, { minLength: 1, maxLength: 12, selector: ({ traceId }) => traceId });
  fc.assert(
    fc.property(parts, fc.nat(12), (traces, cut) => {
      const [sum, halves] = [new SessionSum("s"), [traces.slice(cut), traces.slice(0, cut)]];
      for (const half of halves) {
        const sessionSum = new SessionSum("s");
        for (const trace of half) sessionSum.add(trace);
        sum.addState(sessionSum.state());
      }
      expect(sum.session()).toEqual(sumOf(traces));
    }),
    { numRuns: 500 },
  );
});

const exampleTrace: SummarizedTrace = {
  traceId: "a",
  startedAt: "2026-10-01T10:00:00+00:00",
  endedAt: null,
  latency: null,
  status: "COMPLETED",
  userId: null,
  tags: [],
  spanCount: 0,
  totalTokens: 0,
  totalCost: 0,
  facts: null,
  arrivedAt: 0,
};

test("a trace that ended before it started counts with its end, but has no latency", () => {
  const session = sumOf([{ ...exampleTrace, endedAt: "2026-09-01T00:00:00+00:00" }]);

  expect(session).toMatchObject({ lastTraceAt: "2026-09-01T00:00:00+00:00", totalLatency: null });
});

test("latencies are summed without losing a microsecond", () => {
  const session = sumOf(
    Array.from({ length: 10 }, (_, index) => ({ ...exampleTrace, traceId: `${index}`, latency: 0.1 })),
  );

  expect(session?.totalLatency).toBe(1);
});

test("costs are summed in decimal, and stay a number beyond the range of doubles", () => {
  const costing = (totalCost: number): SummarizedTrace => ({ ...exampleTrace, totalCost });

  expect(sumOf([0.1, 0.2, 0.3].map(costing))?.totalCost).toBe(0.6);
  expect(sumOf(Array.from({ length: 20_000 }, () => costing(0.006857)))?.totalCost).toBe(137.14);
  expect(sumOf([1e308, 1e308].map(costing))?.totalCost).toBe(Number.MAX_VALUE);
});

test("the user is that of the trace that started first, or of the lower id when two started together", () => {
  const traces = [
    { ...exampleTrace, traceId: "b", userId: "second" },
    { ...exampleTrace, traceId: "a", userId: "first" },
    { ...exampleTrace, traceId: "0", userId: null },
    { ...exampleTrace, traceId: "c", userId: "early", startedAt: "2026-10-01T09:00:00+00:00" },
  ];

  expect(sumOf(traces)?.userId).toBe("early");
  expect(sumOf(traces.slice(0, 3))?.userId).toBe("first");
});

test("no traces are no session", () => {
  expect(sumOf([])).toBeNull();
});
