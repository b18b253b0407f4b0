import { gammaln } from "simple-statistics";
import { expect, test } from "vitest";
import { comparedItems, type ItemTrace } from "../../../../lib/domain/experiments/items.ts";
import { applyRule, applyRuleWithoutPairs, decideGate } from "../../../../lib/domain/experiments/rules.ts";
import { verdictShares } from "../../../support/gate-simulation.ts";
import { seeded } from "../../../support/random.ts";

/** Quantile of Student's t by Simpson's rule and bisection, apart from the product's functions. */
const tQuantile = (probability: number, df: number): number => {
  const scale = Math.exp(gammaln((df + 1) / 2) - gammaln(df / 2)) / Math.sqrt(df * Math.PI);
  const density = (t: number): number => scale * (1 + (t * t) / df) ** (-(df + 1) / 2);
  const below = (t: number): number => {
    const [steps, width] = [2_000, t / 2_000];
    let sum = density(0) + density(t);
    for (let at = 1; at < steps; at += 1) sum += (at % 2 === 0 ? 2 : 4) * density(at * width);
    return 0.5 + (sum * width) / 3;
  };
  let [low, high] = [0, 100];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (below(middle) < probability) low = middle;
    else high = middle;
  }
  return low;
};

/** The interval of decision 124 for differences from -1 to 1, from the text of the decision. */
const expectedInterval = (differences: readonly number[]): readonly [number, number] => {
  const n = differences.length;
  const mean = differences.reduce((a, b) => a + b) / n;
  const values = [...differences.map((each) => (each + 1) / 2), 0, 1];
  const p = values.reduce((a, b) => a + b) / values.length;
  const squares = values.reduce((sum, each) => sum + (each - p) ** 2, 0);
  const effective = (n * p * (1 - p)) / (squares / values.length);
  const t = tQuantile(0.975, n - 1);
  const center = ((mean + 1) / 2 + t ** 2 / (2 * effective)) / (1 + t ** 2 / effective);
  const q = (mean + 1) / 2;
  const half = (t / (1 + t ** 2 / effective)) * Math.sqrt((q * (1 - q)) / effective + t ** 2 / (4 * effective ** 2));
  return [2 * (center - half) - 1, 2 * (center + half) - 1];
};

const someTraces = (item: number, values: readonly number[]): readonly ItemTrace[] =>
  values.map((value) => ({ traceId: `t${item}`, itemId: `i${item}`, value: { kind: "value", value, passed: null } }));

const average = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length;

test.each(Array.from({ length: 40 }, (_, at) => [at]))(
  "random experiment %i has the interval and the verdict of an independent computation by items",
  (at) => {
    const random = seeded(20_262).fork(at);
    const [count, repeats, limit] = [random.between(10, 120), random.between(1, 4), random.between(0, 4) / 20];
    const draw = () => (at % 2 === 0 ? Number(random.chance(0.7)) : random.between(0, 4) / 4);
    const sides = Array.from({ length: count }, () => {
      const before = Array.from({ length: random.between(1, repeats) }, draw);
      return { before, after: random.chance(0.7) ? before : Array.from({ length: random.between(1, repeats) }, draw) };
    });

    const { test: result, verdict } = applyRule(
      "max_drop",
      limit,
      comparedItems(
        random.chance(0.5)
          ? sides.flatMap(({ before }, item) => someTraces(item, before))
          : sides.toReversed().flatMap(({ before }, item) => someTraces(count - 1 - item, before)),
        sides.flatMap(({ after }, item) => someTraces(item, after)),
      ),
    );

    const differences = sides.map(({ before, after }) => average(after) - average(before));
    const [lower, upper] = expectedInterval(differences);
    expect(result.count).toBe(count);
    expect(result.mean).toBeCloseTo(average(differences), 9);
    expect(result.interval?.lower).toBeCloseTo(lower, 6);
    expect(result.interval?.upper).toBeCloseTo(upper, 6);
    expect(result.verdict).toBe(upper < -limit ? "fail" : lower >= -limit ? "pass" : "cannot_tell");
    expect([result.verdict, "cannot_tell"]).toContain(verdict);
  },
);

const gate = { items: 200, rules: 1, maxDrop: 0.05, drop: 0, scores: "yes_no", repeats: 1 } as const;

test.each([
  { name: "a gate with one rule", changes: { maxDrop: 0 } },
  { name: "a gate with three rules", changes: { maxDrop: 0, rules: 3 } },
  { name: "a gate with eight rules", changes: { maxDrop: 0, rules: 8 } },
  { name: "a gate over repeated items", changes: { maxDrop: 0, repeats: 3 } },
  { name: "a gate of graded scores", changes: { maxDrop: 0, scores: "graded" } as const },
])("$name fails in at most 5 % of 200 comparisons of equals", ({ changes }) => {
  const { fail } = verdictShares(seeded(1).fork(JSON.stringify(changes)), { ...gate, ...changes }, 200);

  expect(fail).toBeLessThanOrEqual(0.05);
});

test("a gate passes what did not change, and fails a drop of ten points, as often as it has items for", () => {
  const shares = (changes: object) =>
    verdictShares(seeded(2).fork(JSON.stringify(changes)), { ...gate, ...changes }, 200);

  expect(shares({}).pass).toBeGreaterThanOrEqual(0.5);
  expect(shares({ items: 1_000 }).pass).toBeGreaterThanOrEqual(0.99);
  expect(shares({ items: 1_000, drop: 0.1 }).fail).toBeGreaterThanOrEqual(0.9);
  expect(shares({ maxDrop: 0, drop: 0.1 }).fail).toBeGreaterThanOrEqual(0.83);
});

const trace = (itemId: string, value: ItemTrace["value"]): ItemTrace => ({ traceId: itemId, itemId, value });
const scored = { kind: "value", value: 1, passed: true } as const;
const inapplicable = { kind: "inapplicable", isEmpty: false } as const;
const empty = { kind: "inapplicable", isEmpty: true } as const;
const none = { kind: "unjudged", hasFailed: false } as const;
const names = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `i${from + at}`);

test.each([
  ["missing", names(88).map((id) => trace(id, scored)), { missing: 12 }, "too_many_missing"],
  ["missing", names(90).map((id) => trace(id, scored)), { missing: 10 }, null],
  ["unjudged", names(100).map((id, at) => trace(id, at < 11 ? none : scored)), { unjudged: 11 }, "too_many_missing"],
  ["unscored", names(100).map((id) => trace(id, none)), { unjudged: 100 }, "no_scores"],
  [
    "inapplicable",
    names(100).map((id, at) => trace(id, at < 10 ? inapplicable : scored)),
    { inapplicable: 10, lapsed: 10 },
    null,
  ],
  [
    "lapsed",
    names(100).map((id, at) => trace(id, at < 11 ? inapplicable : scored)),
    { inapplicable: 11, lapsed: 11 },
    "too_many_missing",
  ],
  [
    "duplicated",
    [...names(100), ...names(11)].map((id) => trace(id, scored)),
    { repeated: 11, duplicated: 11 },
    "too_many_missing",
  ],
  ["repeated", [...names(100), ...names(100)].map((id) => trace(id, scored)), { repeated: 100, duplicated: 0 }, null],
] as const)("items that are %s are counted, and neither a loss nor a pass", (_name, candidate, items, reason) => {
  const baseline = names(100).map((id) => trace(id, scored));

  const outcome = applyRule("max_drop", 0.05, comparedItems(baseline, candidate, names(100)));

  expect(outcome).toMatchObject({ items, reason, verdict: reason === null ? "pass" : "cannot_tell" });
});

test.each([
  ["max_drop", 0.1, empty, scored, "too_many_missing"],
  ["max_drop", 0.1, empty, empty, null],
  ["min_mean", 0.1, empty, scored, "too_many_missing"],
  ["min_rate", 0.1, empty, empty, "too_many_missing"],
  ["min_rate", 0.1, inapplicable, inapplicable, null],
] as const)(
  "by %s %d a release of which a third of the items has no value (%j, before %j) is not judged by the rest alone",
  (kind, amount, now, before, reason) => {
    const [candidate, baseline] = [now, before].map((value) =>
      names(120).map((id, at) => trace(id, at < 40 ? value : scored)),
    ) as [ItemTrace[], ItemTrace[]];

    const outcomes = [
      applyRule(kind, amount, comparedItems(baseline, candidate)),
      applyRuleWithoutPairs(kind, amount, baseline, candidate),
    ];

    expect(outcomes.map((each) => each.reason)).toEqual([reason, reason]);
    expect(outcomes[0]).toMatchObject({ items: { compared: 80 }, verdict: reason === null ? "pass" : "cannot_tell" });
  },
);

test("a rate of scores without a threshold is no rate of too few", () => {
  const scores = names(60).flatMap((_, at) => someTraces(at, [1]));

  const outcomes = [
    applyRule("min_rate", 0.5, comparedItems([], scores)),
    applyRuleWithoutPairs("min_rate", 0.5, [], scores),
    applyRule("min_rate", 0.5, comparedItems([], [])),
  ];

  expect(outcomes.map(({ reason }) => reason)).toEqual(["no_threshold", "no_threshold", "too_few"]);
  expect(outcomes.map(({ verdict }) => verdict)).toEqual(["cannot_tell", "cannot_tell", "cannot_tell"]);
});

test("items of the baseline that the dataset no longer has are told and not compared", () => {
  const [baseline, candidate] = [names(100), names(60)].map((ids) => ids.map((id) => trace(id, scored)));

  const outcome = applyRule("max_drop", 0.05, comparedItems(baseline ?? [], candidate ?? [], names(60)));

  expect(outcome).toMatchObject({
    items: { retired: 40, missing: 0, compared: 60 },
    reason: null,
    test: { count: 60 },
  });
});

test.each([
  ["max_cost_increase", 0.2, 0.01, 0.01, "pass"],
  ["max_cost_increase", 0.2, 0.01, 0.02, "fail"],
  ["max_latency_increase", 0.1, 100, 300, "fail"],
  ["max_cost_increase", 0.2, 0, 0, "cannot_tell"],
  ["max_drop", 0.05, 5, 3, "fail"],
  ["max_drop", 0.05, 5, 5, "cannot_tell"],
] as const)("by %s %d a hundred equal values of %d and then %d decide: %s", (kind, amount, before, after, verdict) => {
  const [baseline, candidate] = [before, after].map((value) => names(100).flatMap((_, at) => someTraces(at, [value])));

  expect(applyRule(kind, amount, comparedItems(baseline ?? [], candidate ?? []))).toMatchObject({ verdict });
});

test("a gate whose rules only watch passes", () => {
  const outcome = applyRule("max_drop", 0.05, []);

  expect(decideGate([{ isWatching: true, outcome }]).verdict).toBe("pass");
});
