import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyPlan,
  ceilingMessage,
  reservedTotal,
  microsDown,
  microsUp,
  monthOf,
  nextMonth,
  planRelease,
  planReservation,
  remainingBudget,
  shardCount,
  shareOf,
} from "../../../../lib/domain/runs/budget.ts";

/** Reserved amount of each shard, by shard. */
const takesOf = (amounts: readonly number[]): Record<string, number> =>
  Object.fromEntries(amounts.map((reservedAmount, shard) => [String(shard), reservedAmount]));
const amount = fc.integer({ min: 0, max: 1_000_000 });
const shards = fc.array(amount, { minLength: shardCount, maxLength: shardCount });
const preferred = fc.integer({ min: 0, max: shardCount - 1 });

describe("micro-dollars", () => {
  test.each([
    [0, 0, 0],
    [0.1, 100_000, 100_000],
    [1.1, 1_100_000, 1_100_000],
    [0.0000001, 1, 0],
    [0.0000015, 2, 1],
    [1e9, 1e15, 1e15],
  ])("of $%d are %i spent and %i of a ceiling", (dollars, up, down) => {
    expect([microsUp(dollars), microsDown(dollars)]).toEqual([up, down]);
  });
});

test("a month is the calendar's in UTC", () => {
  expect(monthOf(Date.UTC(2026, 10, 30, 23, 59, 59, 999))).toBe("2026-11");
  expect(monthOf(Date.UTC(2026, 11, 1))).toBe("2026-12");
});

test("the next month begins where the calendar's does, also in another year", () => {
  expect(nextMonth(Date.UTC(2026, 0, 31, 12))).toBe(Date.UTC(2026, 1, 1));
  expect(nextMonth(Date.UTC(2026, 11, 1))).toBe(Date.UTC(2027, 0, 1));
  expect(nextMonth(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toBe(Date.UTC(2027, 0, 1));
});

test("the shares of a ceiling sum up to it, and differ by one at most", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e15 }), (limit) => {
      const shares = Array.from({ length: shardCount }, (_, shard) => shareOf(limit, shard));
      expect(reservedTotal(takesOf(shares))).toBe(limit);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }),
  );
  expect.hasAssertions();
});

test("any remaining amount is reserved, on as many shards as necessary, and no shard exceeds its share", () => {
  fc.assert(
    fc.property(shards, amount, amount, preferred, (used, room, requestedAmount, first) => {
      const limit = reservedTotal(takesOf(used)) + room;
      const plan = planReservation(Math.min(requestedAmount, remainingBudget(limit, used)), limit, used, first);
      expect(plan === null ? null : reservedTotal(Object.fromEntries(plan))).toBe(Math.min(requestedAmount, room));
      for (const [shard, reservedAmount] of plan ?? []) {
        expect(reservedAmount).toBeGreaterThan(0);
        expect((used[shard] ?? 0) + reservedAmount).toBeLessThanOrEqual(shareOf(limit, shard));
      }
    }),
  );
  expect.hasAssertions();
});

test("a reservation over the remaining shares is refused", () => {
  const used = Array.from({ length: shardCount }, () => 10);

  expect(planReservation(1, 160, used, 3)).toBeNull();
  expect(planReservation(1, 161, used, 3)).toEqual(new Map([[0, 1]]));
});

test("a released amount was reserved before, and the remainder stays reserved", () => {
  fc.assert(
    fc.property(shards, amount, (reserved, back) => {
      const takes = takesOf(reserved);
      const returned = Math.min(back, reservedTotal(takes));
      const plan = planRelease(returned, takes);
      const remaining = applyPlan(takes, plan);
      expect(reservedTotal(remaining)).toBe(reservedTotal(takes) - returned);
      expect(Object.values(remaining).every((amount) => amount > 0)).toBe(true);
    }),
  );
  expect.hasAssertions();
});

test.each([
  [
    "run",
    0.5,
    "What is left of the run's max_cost_usd of $0.50 does not cover another judgement, for which $0.028 is set aside.",
  ],
  [
    "project",
    20,
    "The project has reached its ceiling of $20.00 for judging in November 2026: what is left does not cover another judgement, for which $0.028 is set aside.",
  ],
  [
    "deployment",
    1000,
    "The deployment has reached its ceiling of $1,000.00 for judging in November 2026: what is left does not cover another judgement, for which $0.028 is set aside.",
  ],
] as const)("a run at the ceiling of its %s gets that reason", (kind, ceiling, message) => {
  const state = { minimum: 0.028, isTemporary: false };
  expect(ceilingMessage(kind, ceiling, state, Date.UTC(2026, 10, 21))).toBe(message);
});
