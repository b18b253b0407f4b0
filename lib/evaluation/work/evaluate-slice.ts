import { isTerminal, type RunOrder } from "../../domain/runs/run.ts";
import type { Judge } from "../../judge/judge.ts";
import type { SliceMessage } from "../../queue/slice-message.ts";
import type { Runs } from "../../store/runs/runs.ts";
import { LostLease, maxPerCommit, type Settlement } from "../../store/runs/settlement.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { leaseMilliseconds, type Slices } from "../../store/runs/slices.ts";
import { commitGroup } from "./commit-group.ts";
import { giveUp } from "./give-up.ts";
import { costOfDeferred, deferredUsage, judgeSlice, type Remainder } from "./judge-slice.ts";
import { commitReserve, maxFruitless, nextTry, providerGivenUp, startReserve } from "./patience.ts";
import { sliceBudget, type Spending } from "./slice-budget.ts";
import type { TargetKinds } from "./target-work.ts";
import { whileRenewed } from "./while-renewed.ts";

/** What became of a delivery: nothing is left to do, or the slice is to be tried again then (epoch milliseconds). */
export type SliceResult = { readonly kind: "over" } | { readonly kind: "later"; readonly at: number };

/** Works on one slice until it is done or time runs out. @param deadline epoch milliseconds. */
export type SliceEvaluation = (message: SliceMessage, deadline: number) => Promise<SliceResult>;

export interface EvaluationParts {
  readonly runs: Runs;
  readonly slices: Slices;
  readonly settlement: Settlement;
  readonly targets: TargetKinds;
  readonly judge: Pick<Judge, "readiness">;
  readonly spending: Spending;
  /** Judge calls at a time. */
  readonly calls: number;
  readonly now: () => number;
}

const over: SliceResult = { kind: "over" };

/** A judgement is durable within a second, its transaction included; every transaction pays for the slice again. */
const grouping = { size: maxPerCommit, patience: 750 };

/** The worker of the pipeline: lease, judge what is not settled, commit, and say when to come back. */
export const sliceEvaluation = (parts: EvaluationParts): SliceEvaluation => {
  const { runs, slices, settlement, judge, now } = parts;

  /** How a slice that is not finished is left. */
  const leave = async (claimed: StoredSlice, held: StoredSlice, remainder: Remainder): Promise<SliceResult> => {
    const progressed = held.commits > claimed.commits;
    const { deferred, postponed } = remainder;
    const waits = postponed > now() && deferred.length === 0;
    const retryAfter = deferred.map(({ verdict }) => verdict.retryAfter ?? 0);
    const at = waits ? postponed : nextTry(now(), progressed, claimed.fruitless, retryAfter);
    const usage = deferredUsage(held, remainder);
    await slices.giveBack(held, {
      until: at,
      // A slice that was too early was not tried in vain.
      fruitless: waits && !progressed ? claimed.fruitless - 1 : held.fruitless,
      awaySince: deferred.length > 0 && !progressed ? (claimed.awaySince ?? now()) : null,
      waiting: deferred[0]?.verdict.reason ?? null,
      usage,
    });
    return { kind: "later", at };
  };

  /** A slice for which no money is left now was not tried in vain. */
  const waitForMoney = async (
    claimed: StoredSlice,
    { until, message }: { readonly until: number; readonly message: string },
  ): Promise<SliceResult> => {
    const { fruitless, awaySince, slice } = claimed;
    await slices.giveBack(claimed, {
      until,
      fruitless: fruitless - 1,
      awaySince,
      waiting: message,
      usage: slice.usage,
    });
    return { kind: "later", at: until };
  };

  const work = async (order: RunOrder, claimed: StoredSlice, deadline: number): Promise<SliceResult> => {
    let held = claimed;
    const kind = parts.targets[order.targetType];
    const group = commitGroup(
      async (some) => {
        held = await settlement.commit(held, order.metrics.length, some);
      },
      { ...grouping, mayRepeat: () => now() + commitReserve < deadline },
    );

    if (claimed.fruitless > maxFruitless && claimed.awaySince === null) {
      const reason = `Judging was given up after ${maxFruitless} attempts without progress.`;
      await giveUp(kind, order, claimed, group, { reason, code: "internal" });
      return over;
    }
    const readiness = await judge.readiness(order.resolvedModel);
    if (!readiness.ready) {
      await giveUp(kind, order, claimed, group, { reason: readiness.message, code: null });
      return over;
    }
    const budget = await sliceBudget(parts.spending, order, claimed, now());
    if (budget.kind === "superseded") throw new LostLease();
    if (budget.kind === "end") {
      await giveUp(kind, order, claimed, group, { reason: budget.message, code: null });
      return over;
    }
    if (budget.kind === "wait") return await waitForMoney(claimed, budget);
    let deferred = 0;
    const result = whileRenewed(slices, claimed, async (lost) => {
      const remainder = await judgeSlice(kind, order, claimed, {
        group,
        lost,
        budget,
        deadline,
        calls: order.sequential ? 1 : parts.calls,
        now,
      });
      deferred = costOfDeferred(remainder);
      const awaySince = remainder.deferred.length === 0 ? null : (claimed.awaySince ?? now());
      const [first] = remainder.deferred;
      if (first !== undefined && providerGivenUp(awaySince, now())) {
        // What was not tried would wait for the same provider, a day for every few of them.
        const { code, reason } = first.verdict;
        await giveUp(kind, order, held, group, { reason, code }, remainder.deferred);
      }
      return held.slice.state === "done" ? over : await leave(claimed, held, remainder);
    });
    try {
      return await result;
    } finally {
      await budget.close((held.slice.usage.cost ?? 0) + (held.slice.state === "done" ? 0 : deferred));
    }
  };

  const evaluate = async (order: RunOrder, slice: string, deadline: number): Promise<SliceResult> => {
    const claim = await slices.claim(order.projectId, order.id, slice);
    if (claim.kind === "over") return over;
    if (claim.kind === "busy") return { kind: "later", at: Math.max(claim.until, now() + 1000) };
    try {
      return await work(order, claim.held, deadline);
    } catch (error) {
      if (error instanceof LostLease) return { kind: "later", at: now() + leaseMilliseconds };
      throw error;
    }
  };

  /** The slices of a run one after the other: only the first that is open may be worked on, whoever has it. */
  const evaluateInTurn = async (order: RunOrder, attempt: string, deadline: number): Promise<SliceResult> => {
    for (const { slice } of await runs.slices(order.projectId, order.id, attempt)) {
      if (slice.state !== "open") continue;
      if (now() + startReserve >= deadline) return { kind: "later", at: now() + 1000 };
      const result = await evaluate(order, slice.id, deadline);
      if (result.kind !== "over") return result;
    }
    return over;
  };

  return async (message, deadline) => {
    const stored = await runs.read(message.project, message.run);
    if (stored === null || stored.creating || isTerminal(stored.run.status)) return over;
    const { order } = stored.run;
    if (stored.run.status === "PENDING") await runs.begin(message.project, message.run);
    return order.sequential
      ? await evaluateInTurn(order, stored.attempt, deadline)
      : await evaluate(order, message.slice, deadline);
  };
};
