import { expect, test } from "vitest";
import { giveUp } from "../../../lib/evaluation/slices/give-up.ts";
import type { StoredSlice } from "../../../lib/store/runs/slice-codec.ts";
import { newPairBits } from "../../../lib/domain/runs/pair-bits.ts";
import { addUsage, noUsage } from "../../../lib/domain/runs/run.ts";
import type { Settled } from "../../../lib/store/runs/settled-pairs.ts";
import { someOrder } from "../../support/runs/runs.ts";

const tokens = { prompt: 10, completion: 0, cached: 0, written: 0 };

const deferred = (cost: number) =>
  ({
    kind: "deferred",
    code: "judge_unavailable",
    reason: "It is away.",
    retryAfter: null,
    metadata: { attempts: 1, tokens, cost_usd: cost, latency_ms: 5 },
  }) as const;

test("what a call for several pairs had cost counts once when they are given up, also if a pair waits for two calls", async () => {
  const order = someOrder({ metrics: ["a", "b", "c"] });
  const slice = { targets: ["t"], traces: [], bits: newPairBits([null], 3), usage: noUsage };
  const outcomes: Settled[] = [];
  const group = { add: (...unit: readonly Settled[]) => outcomes.push(...unit), drain: async () => {}, failed: false };

  await giveUp(
    { evaluate: async () => {}, scorer: async () => null },
    order,
    { slice } as unknown as StoredSlice,
    { ...group, add: (...unit) => void group.add(...unit) },
    { reason: "There is no money.", code: null },
    [
      { target: 0, pairs: [0, 1, 2], verdict: deferred(0.25) },
      { target: 0, pairs: [0, 1], verdict: deferred(0.5) },
    ],
  );

  const usage = outcomes.map((outcome) => outcome.usage).reduce(addUsage, noUsage);
  expect(outcomes).toHaveLength(3);
  expect(usage).toMatchObject({ calls: 2, promptTokens: 20, cost: 0.75 });
});
