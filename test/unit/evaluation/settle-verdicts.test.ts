import { expect, test } from "vitest";
import { judgedPair, judgementOf, usageOf } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { type DeferredVerdict, type PairVerdict, settleVerdicts } from "../../../lib/evaluation/slices/target-work.ts";
import type { CheckedScore, Settled } from "../../../lib/store/runs/settled-pairs.ts";

/** Metadata of a verdict with what a call cost. */
const metadata = (attempts: number, cost_usd: number) => ({
  attempts,
  tokens: { prompt: 10 * attempts, completion: attempts, cached: 0, written: 0 },
  cost_usd,
});
const deferred = (pair: number, attempts: number, cost: number, costShift = 0): PairVerdict => ({
  pair,
  metric: `m${pair}`,
  verdict: {
    kind: "deferred",
    code: "judge_unavailable",
    reason: "The judge does not answer.",
    retryAfter: pair,
    metadata: metadata(attempts, cost),
  },
  costShift,
});
const scored = (pair: number, cost: number, costShift: number): PairVerdict => ({
  pair,
  metric: `m${pair}`,
  verdict: { kind: "scored", value: 1, reason: "Yes.", metadata: metadata(1, cost) },
  costShift,
});

/** Settles the verdicts of one call, and returns what is settled and what is deferred. */
const settledOf = (verdicts: readonly PairVerdict[]) => {
  const settled: (readonly Settled[])[] = [];
  const deferrals: { readonly pairs: readonly number[]; readonly verdict: DeferredVerdict }[] = [];
  settleVerdicts(
    {
      settle: (...outcomes) => void settled.push(outcomes),
      defer: (pairs, verdict) => void deferrals.push({ pairs, verdict }),
    },
    verdicts,
    (pair, _metric, verdict) => judgedPair(pair, judgementOf(verdict), {} as CheckedScore),
  );
  return { settled, deferrals };
};

test("the deferred pairs of a call are deferred once, with what all of them cost, and the others are settled together", () => {
  const { settled, deferrals } = settledOf([
    deferred(0, 0, 0),
    scored(1, 0.02, -0.01),
    deferred(2, 2, 0.03),
    scored(3, 0, 0.01),
    scored(4, 0, 0),
  ]);

  expect(deferrals).toMatchObject([{ pairs: [0, 2], verdict: { kind: "deferred", retryAfter: 0 } }]);
  expect(usageOf(deferrals[0]?.verdict.metadata ?? {})).toMatchObject({ calls: 2, promptTokens: 20, cost: 0.03 });
  expect(settled).toMatchObject([
    [
      { kind: "pair", pair: 1, usage: { cost: 0.02 }, costShift: -0.01 },
      { kind: "pair", pair: 3, costShift: 0.01 },
      { kind: "pair", pair: 4 },
    ],
  ]);
});
