import { expect, test } from "vitest";
import { newPairBits, settlePairs } from "../../../lib/domain/runs/pair-bits.ts";
import { noUsage, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { signalNames } from "../../../lib/domain/scores/signals.ts";
import { sliceBudget } from "../../../lib/evaluation/slices/slice-budget.ts";
import { LostLease } from "../../../lib/store/runs/settlement.ts";
import { someOrder } from "../../support/runs/runs.ts";

const uncalled = (): Promise<never> => Promise.reject(new Error("Nothing is reserved without a ceiling."));

/** The budget of a slice of one target without a ceiling, and the bounds that it records. */
const budgetOf = async (fields: Partial<RunOrder>, settledPairs: readonly number[], hasLease = true) => {
  const [order, bounds]: [RunOrder, number[]] = [someOrder(fields), []];
  const settled = settledPairs.map((pair) => ({ pair, failed: false, missing: false }));
  const bits = settlePairs(newPairBits([null], order.metrics.length), order.metrics.length, settled);
  const spend = {
    reserve: uncalled,
    takeOver: async () => 0.3,
    recordCalls: async (_: unknown, __: unknown, usd: number) => bounds.push(usd) > 0 && hasLease,
    noteCalls: uncalled,
    settle: uncalled,
    endReservations: uncalled,
  };
  const ceilings = { project: null, organization: null, deployment: null };
  const spending = { spend, priceOf: () => null, ceilings, organizationOf: async () => null };
  const slice = { id: "a#0000", targets: ["t"], traces: [3], bits, usage: noUsage };
  const conditions = { maxConcurrent: 100, canStart: () => true, committed: () => noUsage, now: () => 0 };
  const ofDelivery = (isAbandoned: boolean) =>
    sliceBudget(spending, order, { slice, epoch: 2, waits: 0, isAbandoned }, conditions);
  return { ofDelivery, bounds };
};

const [first, to] = ["systemone/jev", "openai/judge"];
const when = { confidence_below: 0.8, coverage_below: null };
const judge = { first, escalate: { to, when, at_most: 0.5 } };

test.each<[string, Partial<RunOrder>, readonly number[], number]>([
  ["all pairs of a trace", {}, [], 2],
  ["the pairs of a trace that are not settled", {}, [0], 1],
  ["one call of a decision model about a trace", { resolvedModel: first }, [], 1],
  ["its call and the share of pairs of a second judge", { resolvedModel: first, judge }, [], 2],
  ["each signal of a session's traces", { targetType: "SESSION" }, [1], 3 * signalNames.length],
])("without a ceiling the calls of %s are recorded before the first begins", async (_, fields, settled, calls) => {
  const { ofDelivery, bounds } = await budgetOf(fields, settled);
  const { judgeBudget } = await ofDelivery(false);
  const reservation = await judgeBudget.reserve({ max: 1, likely: 1, min: 1 });
  await reservation?.begin(1);
  expect(bounds).toEqual([calls]);
});

test("without a ceiling a worker whose slice another one has begins no call, and a dead one forfeits what it recorded", async () => {
  const { ofDelivery } = await budgetOf({}, [], false);
  const { judgeBudget, forfeit } = await ofDelivery(true);
  const reservation = await judgeBudget.reserve({ max: 1, likely: 1, min: 1 });
  await expect(reservation?.begin(1)).rejects.toThrow(LostLease);
  expect([forfeit, (await ofDelivery(false)).forfeit]).toEqual([0.3, 0]);
});
