import { seeded } from "../support/random.ts";
import { verdictShares, type SimulatedGate } from "../support/gate-simulation.ts";

const repetitions = 2_000;

const base: SimulatedGate = { items: 200, rules: 1, maxDrop: 0.05, drop: 0, scores: "yes_no", repeats: 1 };

const gates: readonly Partial<SimulatedGate>[] = [
  { maxDrop: 0 },
  { maxDrop: 0, rules: 3 },
  { maxDrop: 0, rules: 8 },
  { maxDrop: 0, rules: 8, items: 1_000 },
  {},
  { items: 1_000 },
  { rules: 8, items: 1_000 },
  { drop: 0.1 },
  { drop: 0.1, items: 1_000 },
  { drop: 0.1, maxDrop: 0 },
  { maxDrop: 0, scores: "graded" },
  { scores: "graded" },
  { scores: "graded", drop: 0.1, maxDrop: 0 },
  { maxDrop: 0, repeats: 3 },
  { repeats: 3 },
  { repeats: 3, drop: 0.1, maxDrop: 0 },
];

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Measures by simulation how often a gate passes and fails, beside a comparison of means. */
export const benchGate = (seed: number): void => {
  const rows = gates.map((changes) => {
    const gate = { ...base, ...changes };
    const { pass, fail, naiveFail } = verdictShares(seeded(seed).fork(JSON.stringify(gate)), gate, repetitions);
    return {
      items: gate.items,
      scores: gate.scores,
      repeats: gate.repeats,
      rules: gate.rules,
      max_drop: gate.maxDrop,
      "true drop": gate.drop,
      passes: percent(pass),
      fails: percent(fail),
      "means alone fail": percent(naiveFail),
    };
  });
  console.table(rows);
};
