import { expect, test } from "vitest";
import { hourText } from "../../../../lib/domain/analytics/bucket.ts";
import { otherHours, rollupTally } from "../../../../lib/domain/analytics/hour-rollup.ts";
import { limitModelNames, type ModelUsage } from "../../../../lib/domain/analytics/model-usage.ts";

const usageOf = (model: string | null, calls: number): ModelUsage => ({
  model,
  calls,
  promptTokens: calls * 10,
  completionTokens: calls,
  cost: calls / 8,
});

const totals = (usage: readonly ModelUsage[]): readonly number[] => [
  usage.reduce((sum, { calls }) => sum + calls, 0),
  usage.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
  usage.reduce((sum, { cost }) => sum + cost, 0),
];

test("traces of an hour are summed, spans by their own hours", () => {
  const tally = rollupTally();
  const trace = { status: "ERROR", latency: 1000 } as const;
  tally.add(trace, [
    { hour: "2026-03-01T10", ...usageOf("a", 1) },
    { hour: "2026-03-01T11", ...usageOf("a", 2) },
  ]);
  tally.add({ ...trace, status: "RUNNING", latency: null }, [{ hour: "2026-03-01T10", ...usageOf("a", 3) }]);

  const { figures, usage } = tally.rollup();

  expect(figures).toEqual({
    traces: 2,
    errors: 1,
    latencySum: 1_000_000,
    latencies: { kind: "values", values: [1_000_000] },
  });
  expect([...usage]).toEqual([
    ["2026-03-01T10", [usageOf("a", 4)]],
    ["2026-03-01T11", [usageOf("a", 2)]],
  ]);
});

test("beyond 1,000 models the least called ones are summed without a name", () => {
  const usage = [
    usageOf(null, 1),
    ...Array.from({ length: 1_200 }, (_, index) => usageOf(`model-${index}`, 1 + (index % 7))),
  ];

  const fewer = limitModelNames(usage);

  expect(fewer).toHaveLength(1_001);
  expect(totals(fewer)).toEqual(totals(usage));
  expect(fewer.filter(({ calls, model }) => model !== null && calls === 7)).toHaveLength(171);
});

test("an hour of very many models is summed without keeping all names, and its totals are right", () => {
  const tally = rollupTally();
  const hour = "2026-03-01T10";
  const used = Array.from({ length: 50_000 }, (_, index) => usageOf(`model-${index}`, 1));

  for (let start = 0; start < used.length; start += 10_000) {
    const batch = used.slice(start, start + 10_000).map((usage) => Object.assign({ hour }, usage));
    tally.add({ status: "COMPLETED", latency: null }, [{ hour, ...usageOf("main", 5) }, ...batch]);
  }

  const models = tally.rollup().usage.get(hour) ?? [];
  expect(models).toHaveLength(1_001);
  expect(models.find(({ model }) => model === "main")).toEqual(usageOf("main", 25));
  expect(totals(models)).toEqual(totals([...used, usageOf("main", 25)]));
});

test("names that are too long for an item are summed without a name, too", () => {
  const usage = Array.from({ length: 100 }, (_, index) => usageOf(`${"\u{1f600}".repeat(255)}${index}`, 100 - index));

  const fewer = limitModelNames(usage);

  expect(fewer.filter(({ model }) => model !== null)).toHaveLength(32);
  expect(totals(fewer)).toEqual(totals(usage));
});

test("the 48 nearest other hours are stored one by one, the remaining hours as one sum", () => {
  const usage = new Map(Array.from({ length: 101 }, (_, index) => [hourText(1_000 + index), []] as const));

  const { near, far } = otherHours(usage, hourText(1_050));

  expect(near.toSorted()).toEqual(
    Array.from({ length: 24 }, (_, index) => hourText(1_026 + index)).concat(
      Array.from({ length: 24 }, (_, index) => hourText(1_051 + index)),
    ),
  );
  expect(far).toHaveLength(52);
});
