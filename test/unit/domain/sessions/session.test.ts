import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionSum, type SessionPart } from "../../../../lib/domain/sessions/session.ts";
import { latencyOf } from "../../../../lib/domain/traces/row.ts";
import { traceStatuses } from "../../../../lib/domain/traces/trace.ts";

const instant = fc.constantFrom(
  "2026-10-01T10:00:00+00:00",
  "2026-10-01T10:00:00.100000+00:00",
  "2026-10-01T10:00:00.300001+00:00",
  "2026-10-02T00:00:00+00:00",
);

const part: fc.Arbitrary<SessionPart> = fc
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
  .map((one) => Object.assign(one, { latency: latencyOf(one.startedAt, one.endedAt) }));

const sumOf = (parts: readonly SessionPart[]) => {
  const sum = new SessionSum("s");
  for (const one of parts) sum.add(one);
  return sum.session();
};

test("a session does not depend on the order in which its traces are read", () => {
  const shuffled = fc
    .uniqueArray(part, { minLength: 1, maxLength: 8, selector: ({ traceId }) => traceId })
    .chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));
  fc.assert(
    fc.property(shuffled, ([parts, other]) => {
      expect(sumOf(other)).toEqual(sumOf(parts));
    }),
    { numRuns: 500 },
  );
});

test("a session is the same when the sums of its parts are added up", () => {
  const parts = fc.uniqueArray(part, { minLength: 1, maxLength: 12, selector: ({ traceId }) => traceId });
  fc.assert(
    fc.property(parts, fc.nat(12), (all, cut) => {
      const [sum, halves] = [new SessionSum("s"), [all.slice(cut), all.slice(0, cut)]];
      for (const half of halves) {
        const own = new SessionSum("s");
        for (const one of half) own.add(one);
        sum.addState(own.state());
      }
      expect(sum.session()).toEqual(sumOf(all));
    }),
    { numRuns: 500 },
  );
});

const some: SessionPart = {
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
  const session = sumOf([{ ...some, endedAt: "2026-09-01T00:00:00+00:00" }]);

  expect(session).toMatchObject({ lastTraceAt: "2026-09-01T00:00:00+00:00", totalLatency: null });
});

test("latencies add up without losing a microsecond", () => {
  const session = sumOf(Array.from({ length: 10 }, (_, index) => ({ ...some, traceId: `${index}`, latency: 0.1 })));

  expect(session?.totalLatency).toBe(1);
});

test("costs add up to what a person would write, and to a number when they are beyond all numbers", () => {
  const costing = (totalCost: number): SessionPart => ({ ...some, totalCost });

  expect(sumOf([0.1, 0.2, 0.3].map(costing))?.totalCost).toBe(0.6);
  expect(sumOf(Array.from({ length: 20_000 }, () => costing(0.006857)))?.totalCost).toBe(137.14);
  expect(sumOf([1e308, 1e308].map(costing))?.totalCost).toBe(Number.MAX_VALUE);
});

test("the user is that of the trace that started first; of two that started together, of the one with the lower id", () => {
  const traces = [
    { ...some, traceId: "b", userId: "second" },
    { ...some, traceId: "a", userId: "first" },
    { ...some, traceId: "0", userId: null },
    { ...some, traceId: "c", userId: "early", startedAt: "2026-10-01T09:00:00+00:00" },
  ];

  expect(sumOf(traces)?.userId).toBe("early");
  expect(sumOf(traces.slice(0, 3))?.userId).toBe("first");
});

test("nothing is no session", () => {
  expect(sumOf([])).toBeNull();
});
