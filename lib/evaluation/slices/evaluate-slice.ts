import { chargedOf } from "../../domain/runs/judge-usage.ts";
import { isTerminal, type RunOrder } from "../../domain/runs/run.ts";
import type { Judge } from "../../judge/judge.ts";
import type { SliceMessage } from "../../queue/slice-message.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";
import { LostLease, maxPerCommit, type Settlement } from "../../store/runs/settlement.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { leaseMilliseconds, unclaimable, type Slices } from "../../store/runs/slices.ts";
import { commitGroup } from "./commit-group.ts";
import { giveUp } from "./give-up.ts";
import { deferredUsage, judgeSlice, type Remainder } from "./judge-slice.ts";
import {
  commitReserve,
  longestWithMessage,
  maxFruitless,
  nextTry,
  providerGivenUp,
  restUntil,
  startReserve,
  type Rest,
} from "./patience.ts";
import { sliceBudget, unpriced, type Spending } from "./slice-budget.ts";
import type { TargetKinds } from "./target-work.ts";
import type { InTurn, Turn } from "./turns.ts";
import { whileRenewed } from "./while-renewed.ts";

/** What became of a delivery; only after `later` is its message needed again. */
export type SliceResult =
  /** Nothing is left to do. */
  | { readonly kind: "over" }
  /** Another delivery has the slice, or the sweeper wakes it. */
  | { readonly kind: "duplicate" }
  /** The slice is to be tried again then, epoch milliseconds. */
  | { readonly kind: "later"; readonly at: number }
  /** The sweeper sends it again then, epoch milliseconds. */
  | { readonly kind: "asleep"; readonly at: number };

/**
 * Works on one slice until it is done or time runs out.
 *
 * @param deadline epoch milliseconds.
 * @param returnsUntil until when the message may come back, epoch milliseconds; absent: for ever.
 */
export type SliceEvaluation = (message: SliceMessage, deadline: number, returnsUntil?: number) => Promise<SliceResult>;

export interface EvaluationParts {
  readonly runs: Runs;
  readonly slices: Slices;
  readonly settlement: Settlement;
  readonly inTurn: InTurn;
  readonly targets: TargetKinds;
  readonly judge: Pick<Judge, "readiness">;
  /** The models that judge a run; absent: its own does. */
  readonly modelsOf?: (order: RunOrder) => Promise<readonly string[]>;
  readonly spending: Spending;
  /** Judge calls at a time. */
  readonly calls: number;
  readonly now: () => number;
}

const over: SliceResult = { kind: "over" };
const duplicate: SliceResult = { kind: "duplicate" };

const resting = ({ until, asleep }: Rest): SliceResult => ({ kind: asleep ? "asleep" : "later", at: until });

/** When a delivery has to be over, and until when its message may come back, epoch milliseconds; and whose turn it is. */
interface Times {
  readonly turn: Turn;
  readonly deadline: number;
  readonly returnsUntil: number;
}

const nothingLeft: Remainder = { deferred: [], unfunded: [], postponed: 0 };

/** A judgement is durable within a second, its transaction included; every transaction pays for the slice again. */
const grouping = { size: maxPerCommit, patience: 750 };

/** The worker of the pipeline: lease, judge what is not settled, commit, and say when to come back. */
export const sliceEvaluation = (parts: EvaluationParts): SliceEvaluation => {
  const { runs, slices, settlement, judge, now } = parts;

  /** How a slice that is not finished is left. */
  const leave = async (
    claimed: StoredSlice,
    held: StoredSlice,
    remainder: Remainder,
    { returnsUntil, turn }: Times,
  ): Promise<SliceResult> => {
    const progressed = held.commits > claimed.commits;
    // Who makes room for others has not tried in vain.
    const spared = turn.isOver() && !progressed && remainder.deferred.length === 0;
    const { deferred, postponed } = remainder;
    const waits = postponed > now() && deferred.length === 0;
    const retryAfter = deferred.map(({ verdict }) => verdict.retryAfter ?? 0);
    const at = waits ? postponed : nextTry(now(), progressed || spared, claimed.fruitless, retryAfter);
    const usage = deferredUsage(held, remainder);
    const rest = restUntil(at, now(), returnsUntil);
    await slices.giveBack(held, {
      ...rest,
      // A slice that was too early was not tried in vain.
      fruitless: (waits && !progressed) || spared ? claimed.fruitless - 1 : held.fruitless,
      awaySince: deferred.length > 0 && !progressed ? (claimed.awaySince ?? now()) : null,
      waiting: deferred[0]?.verdict.reason ?? null,
      waits: 0,
      usage,
    });
    return resting(rest);
  };

  /** A slice for which no money is left now was not tried in vain. */
  const waitForMoney = async (
    claimed: StoredSlice,
    held: StoredSlice,
    remainder: Remainder,
    { until, message }: { readonly until: number; readonly message: string },
    returnsUntil: number,
  ): Promise<SliceResult> => {
    const progressed = held.commits > claimed.commits;
    const rest = restUntil(until, now(), returnsUntil);
    await slices.giveBack(held, {
      ...rest,
      fruitless: progressed ? held.fruitless : claimed.fruitless - 1,
      awaySince: progressed ? null : claimed.awaySince,
      waiting: message,
      waits: progressed ? 1 : claimed.waits + 1,
      usage: deferredUsage(held, remainder),
    });
    return resting(rest);
  };

  /** Why a run cannot be judged here, in words for an operator; null: it can, or nobody is asked for it. */
  const hindranceOf = async (order: RunOrder): Promise<string | null> => {
    const models = (await parts.modelsOf?.(order)) ?? [order.resolvedModel];
    for (const model of models) {
      const readiness = await judge.readiness(model);
      const hindrance = readiness.ready ? unpriced(parts.spending, order, model) : readiness.message;
      if (hindrance !== null) return hindrance;
    }
    return null;
  };

  const work = async (order: RunOrder, claimed: StoredSlice, times: Times): Promise<SliceResult> => {
    const { deadline, returnsUntil, turn } = times;
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
    const hindrance = await hindranceOf(order);
    if (hindrance !== null) {
      await giveUp(kind, order, claimed, group, { reason: hindrance, code: null });
      return over;
    }
    let isLost = (): boolean => false;
    const calls = order.sequential ? 1 : parts.calls;
    const isOver = (): boolean => isLost() || turn.isOver();
    const mayStart = (): boolean => !group.failed && !isOver() && now() + startReserve < deadline;
    const budget = sliceBudget(parts.spending, order, claimed, { places: calls, mayStart, now });
    let left: Remainder = nothingLeft;
    const result = whileRenewed(slices, claimed, async (lost) => {
      isLost = lost;
      const remainder = await judgeSlice(kind, order, claimed, { group, over: isOver, budget, deadline, calls, now });
      left = remainder;
      const shortage = budget.shortage();
      if (shortage?.kind === "end" && remainder.deferred.length === 0)
        await giveUp(kind, order, held, group, { reason: shortage.message, code: null }, remainder.unfunded);
      const awaySince = remainder.deferred.length === 0 ? null : (claimed.awaySince ?? now());
      const [first] = remainder.deferred;
      if (first !== undefined && providerGivenUp(awaySince, now())) {
        // What was not tried would wait for the same provider, a day for every few of them.
        const { code, reason } = first.verdict;
        await giveUp(kind, order, held, group, { reason, code }, remainder.deferred);
      }
      if (held.slice.state === "done") return over;
      return shortage?.kind === "wait" && remainder.deferred.length === 0
        ? await waitForMoney(claimed, held, remainder, shortage, returnsUntil)
        : await leave(claimed, held, remainder, times);
    });
    try {
      return await result;
    } finally {
      const { slice } = held;
      await budget.close(chargedOf(slice.state === "done" ? slice.usage : deferredUsage(held, left)));
    }
  };

  const turnedAway = (claim: ReturnType<typeof unclaimable>): SliceResult => {
    if (claim.kind === "over") return over;
    // Who holds it has a message of its own, and the sweeper sees when it dies.
    if (claim.held) return claim.borrowed ? { kind: "later", at: claim.until + 1000 } : duplicate;
    if (claim.asleep && claim.until - now() > longestWithMessage) return duplicate;
    return { kind: "later", at: Math.max(claim.until, now() + 1000) };
  };

  const evaluate = async (order: RunOrder, slice: string, times: Times): Promise<SliceResult> => {
    const claim = await slices.claim(order.projectId, order.id, slice, times.turn.borrowed);
    if (claim.kind !== "claimed") return turnedAway(claim);
    try {
      return await work(order, claim.held, times);
    } catch (error) {
      if (error instanceof LostLease) return { kind: "later", at: now() + leaseMilliseconds };
      throw error;
    }
  };

  /** The slices of a run one after the other: only the first that is open may be worked on, whoever has it. */
  const evaluateInTurn = async (order: RunOrder, attempt: string, times: Times): Promise<SliceResult> => {
    for (const found of await runs.slices(order.projectId, order.id, attempt)) {
      const { slice, until } = found;
      if (slice.state !== "open") continue;
      if (until > now()) return turnedAway(unclaimable(found));
      if (now() + startReserve >= times.deadline || times.turn.isOver()) return { kind: "later", at: now() + 1000 };
      const result = await evaluate(order, slice.id, times);
      if (result.kind !== "over") return result;
    }
    return over;
  };

  /** What a message is about; a result when there is nothing to do. */
  const look = async ({ project, run, slice }: SliceMessage): Promise<StoredRun | SliceResult> => {
    const { stored, slice: found } = await runs.readWith(project, run, slice);
    if (stored === null || stored.creating || isTerminal(stored.run.status)) return over;
    // Before anything is written: a duplicate costs this read.
    const isFree = found?.slice.state === "open" && found.until <= now();
    return stored.run.order.sequential || isFree ? stored : turnedAway(unclaimable(found));
  };

  const begin = async ({ run: { order, status }, attempt }: StoredRun, slice: string, times: Times) => {
    if (status === "PENDING") await runs.begin(order.projectId, order.id);
    return order.sequential ? await evaluateInTurn(order, attempt, times) : await evaluate(order, slice, times);
  };

  return async (sent, deadline, returnsUntil = Number.POSITIVE_INFINITY) => {
    const own = await look(sent);
    if ("kind" in own) return own;
    return await parts.inTurn(sent, async (turn) => {
      const times = { deadline, returnsUntil, turn };
      if (!turn.borrowed) return await begin(own, sent.slice, times);
      const found = await look(turn.message);
      if (!("kind" in found)) await begin(found, turn.message.slice, times);
      // What it was sent for is still to be done.
      return { kind: "later", at: now() };
    });
  };
};
