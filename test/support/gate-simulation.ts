import { comparedItems, type ItemTrace } from "../../lib/domain/experiments/items.ts";
import { applyRule, decideGate } from "../../lib/domain/experiments/rules.ts";
import type { Random } from "./random.ts";

/** Two experiments of which the truth is known. */
export interface SimulatedGate {
  readonly items: number;
  /** Deciding rules, each about a metric of its own. */
  readonly rules: number;
  readonly maxDrop: number;
  /** Drop of the true mean. */
  readonly drop: number;
  /** `yes_no`: 10 % of the scores flip by chance; `graded`: five levels, of which a third change by one. */
  readonly scores: "yes_no" | "graded";
  /** Traces of each item on each side. */
  readonly repeats: number;
}

const rate = 0.8;

/** Draws a score of an item before and after: flips by chance are as many up as down, those of the drop go down. */
const yesNo = (random: Random, drop: number): readonly [number, number] => {
  const before = random.chance(rate);
  const isFlipped = random.chance(before ? (0.05 + drop) / rate : 0.05 / (1 - rate));
  return [Number(before), Number(before !== isFlipped)];
};

const levels = 4;

const graded = (random: Random, drop: number): readonly [number, number] => {
  const before = random.between(1, levels - 1);
  const draw = random.next();
  const step = draw < 1 / 6 + drop * levels ? -1 : draw > 5 / 6 ? 1 : 0;
  return [before / levels, (before + step) / levels];
};

const traceOf = (item: number, value: number): ItemTrace => ({
  traceId: "trace",
  itemId: `item ${item}`,
  value: { kind: "value", value, passed: null },
});

/** Draws both experiments once and returns the gate's verdict, and that of comparing the means alone. */
const simulateGate = (random: Random, gate: SimulatedGate) => {
  const { items, rules, maxDrop, drop, scores, repeats } = gate;
  const draw = scores === "yes_no" ? yesNo : graded;
  const outcomes = Array.from({ length: rules }, () => {
    const [before, after]: [ItemTrace[], ItemTrace[]] = [[], []];
    let sum = 0;
    for (let item = 0; item < items; item += 1) {
      // Repeats of an item are the same half of the time, as those of a deterministic agent.
      let pair = draw(random, drop);
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        if (repeat > 0 && random.chance(0.5)) pair = draw(random, drop);
        before.push(traceOf(item, pair[0]));
        after.push(traceOf(item, pair[1]));
        sum += (pair[1] - pair[0]) / repeats;
      }
    }
    return { outcome: applyRule("max_drop", maxDrop, comparedItems(before, after)), mean: sum / items };
  });
  return {
    verdict: decideGate(outcomes.map(({ outcome }) => ({ isWatching: false, outcome }))).verdict,
    naive: outcomes.every(({ mean }) => mean >= -maxDrop) ? ("pass" as const) : ("fail" as const),
  };
};

/** Shares of verdicts in some repetitions, and of failures by the means alone. */
export const verdictShares = (random: Random, gate: SimulatedGate, repetitions: number) => {
  const drawn = Array.from({ length: repetitions }, () => simulateGate(random, gate));
  const share = (count: number): number => count / repetitions;
  return {
    pass: share(drawn.filter(({ verdict }) => verdict === "pass").length),
    fail: share(drawn.filter(({ verdict }) => verdict === "fail").length),
    naiveFail: share(drawn.filter(({ naive }) => naive === "fail").length),
  };
};
