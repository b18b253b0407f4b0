import { expect, test } from "vitest";
import { evaluate } from "../../../../lib/domain/alerts/evaluate.ts";
import type { AlertSettings, AlertSignal } from "../../../../lib/domain/alerts/fields.ts";
import { firstState, stepOf } from "../../../../lib/domain/alerts/state.ts";
import { addSums, sumsOf, type WindowSums } from "../../../../lib/domain/alerts/sums.ts";
import { someAlertSettings } from "../../../support/alerts/workers.ts";
import { type Random, seeded } from "../../../support/random.ts";

const seed = Number(process.env["ALERTS_SEED"] ?? 20_261);
const months = Number(process.env["ALERTS_MONTHS"] ?? 3);
const windowsOfMonth = 150;

const condition = (
  signal: AlertSignal,
  compare_with: AlertSettings["compare_with"],
  threshold: number,
  changes: Partial<AlertSettings> = {},
): AlertSettings => someAlertSettings({ signal, compare_with, threshold, ...changes });

/** Draws values near a mean; a value resembles those of its session. */
type Draw = (random: Random, common: number) => number;

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

const scores =
  (mean: number): Draw =>
  (random, common) =>
    mean + 0.15 * common + 0.25 * normal(random);
const outcomes =
  (rate: number): Draw =>
  (random, common) =>
    Number(random.next() < rate + 0.05 * Math.sign(common));
const milliseconds: Draw = (random) => Math.exp(7 + normal(random));
const dollars: Draw = (random) => 0.01 * Math.exp(normal(random));

/** Sums of a window with about as many values as named, in sessions of one to four. */
const windowOf = (random: Random, rule: AlertSettings, count: number, draw: Draw): WindowSums => {
  const parts: WindowSums[] = [];
  // Sessions come by chance, so that the number of values varies as much as their number does.
  const sessions = Math.max(1, Math.round(count / 2.5 + Math.sqrt(count / 2.5) * normal(random)));
  for (let session = 0; session < sessions; session += 1) {
    const [common, cluster] = [normal(random), `${random.next()}`];
    for (let remaining = random.between(1, 4); remaining > 0; remaining -= 1)
      parts.push(sumsOf(rule, { cluster, value: draw(random, common) }));
  }
  return addSums(parts);
};

const policies = { no_data: "ok", repeat_every: null } as const;

const noises: readonly [AlertSettings, number, Draw][] = [
  [condition("score_mean", "threshold", 0.7), 300, scores(0.7)],
  [condition("score_mean", "previous_window", 0), 300, scores(0.7)],
  [condition("score_mean", "last_week", 0), 40, scores(0.7)],
  [condition("error_rate", "threshold", 0.1), 300, outcomes(0.1)],
  [condition("error_rate", "previous_window", 0), 100, outcomes(0.1)],
  [condition("latency_p50", "previous_window", 0), 300, milliseconds],
  [condition("latency_p90", "threshold", Math.exp(7 + 1.2815515655)), 300, milliseconds],
  [condition("cost", "previous_window", 0), 300, dollars],
  [condition("volume", "previous_window", 0), 300, dollars],
  [condition("cost", "previous_window", 0.5, { significance: false }), 300, dollars],
  [condition("volume", "previous_window", 0.5, { significance: false }), 300, dollars],
];

test.each(noises.map(([rule, count, draw]) => Object.assign({ rule, count, draw }, rule)))(
  `$signal beside $compare_with with a threshold of $threshold raises less than one false alarm a month of noise (seed ${seed}, ${months} months)`,
  ({ rule, signal, compare_with: baseline, count, draw }) => {
    const random = seeded(seed).fork(`${signal} ${baseline} ${count}`);
    let [state, before, alarms] = [firstState, windowOf(random, rule, count, draw), 0];
    for (let end = 1; end <= months * windowsOfMonth; end += 1) {
      const sums = windowOf(random, rule, count, draw);
      const { verdict } = evaluate(rule, sums, baseline === "threshold" ? null : before);
      const step = stepOf(state, end, verdict, policies);
      if (step.transition === "raised") alarms += 1;
      [state, before] = [step.state, sums];
    }

    // By chance a rate of one a month exceeds this in one of a thousand simulations.
    expect(alarms).toBeLessThanOrEqual(months + 3 * Math.sqrt(months));
    if (months >= 100) console.info(`${signal} ${baseline}: ${(alarms / months).toFixed(2)} a month`);
  },
);

const drops: readonly [AlertSettings, Draw, Draw][] = [
  [condition("score_mean", "threshold", 0.7), scores(0.7), scores(0.6)],
  [condition("score_mean", "last_week", 0), scores(0.7), scores(0.6)],
  [condition("score_below", "threshold", 0.1), outcomes(0.1), outcomes(0.2)],
];

test.each(drops.map(([rule, before, after]) => Object.assign({ rule, before, after }, rule)))(
  `$signal beside $compare_with reports a drop of 10 points at 300 scores within two windows (seed ${seed})`,
  ({ rule, signal, compare_with: baseline, before, after }) => {
    const random = seeded(seed).fork(`drop ${signal} ${baseline}`);
    const trials = 20 * months;
    const reported = Array.from({ length: trials }, () =>
      [1, 2].some(() => {
        const reference = baseline === "threshold" ? null : windowOf(random, rule, 300, before);
        return evaluate(rule, windowOf(random, rule, 300, after), reference).verdict === "alert";
      }),
    ).filter(Boolean);

    expect(reported.length / trials).toBeGreaterThanOrEqual(0.93);
  },
);
