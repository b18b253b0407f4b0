import { doubtsAfter, isHopeless, type Doubts } from "../../domain/runs/doubts.ts";
import { isSettled } from "../../domain/runs/pair-bits.ts";
import { isTerminal, withForfeit, type RunOrder } from "../../domain/runs/run.ts";
import type { Judge } from "../../judge/judge.ts";
import type { SliceMessage } from "../../queue/slice-message.ts";
import { logLine } from "../../log.ts";
import { withLogContext } from "../../log-context.ts";
import { logContextOfRun, type StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";
import { commitActions, maxCascadeActions, maxCommitActions } from "../../store/runs/commit-size.ts";
import { LostLease, type Settlement } from "../../store/runs/settlement.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { leaseMilliseconds, claimRefusal, type Slices } from "../../store/runs/slices.ts";
import { commitGroup } from "./commit-group.ts";
import { giveUp } from "./give-up.ts";
import { judgeUnavailableEvent, runWaitingEvent } from "./waiting-events.ts";
import { deferredUsage, judgeSlice, type Deferral, type Remainder } from "./judge-slice.ts";
import {
  commitReserve,
  maxMessageDelay,
  maxFruitlessDeliveries,
  nextAttemptAt,
  isProviderUnavailableTooLong,
  pauseUntil,
  startReserve,
  type SlicePause,
} from "./retry-policy.ts";
import { modelIn } from "./settled-pairs.ts";
import { sliceBudget, missingPriceMessage, type Shortage, type SpendingDependencies } from "./slice-budget.ts";
import type { TargetEvaluators } from "./target-work.ts";
import type { RunInTurn, Turn } from "./fair-share-turns.ts";
import { withLeaseRenewal } from "./lease-renewal.ts";

/** Outcome of one delivery of a slice message. Only `later` needs the message again. */
export type SliceResult =
  /** The slice is finished, or its run has ended. */
  | { readonly kind: "over" }
  /** Another delivery has the lease of the slice, or the sweeper will send it again. */
  | { readonly kind: "duplicate" }
  /** The slice is due again at `at`, epoch milliseconds. */
  | { readonly kind: "later"; readonly at: number }
  /** The message is dropped, and the sweeper sends the slice again at `at`, epoch milliseconds. */
  | { readonly kind: "asleep"; readonly at: number };

/**
 * Works on one slice until it is finished or the time is over.
 *
 * @param deadline end of the time for this delivery, epoch milliseconds.
 * @param returnsUntil last instant at which the message may be delivered again, epoch milliseconds; absent: no limit.
 */
export type SliceEvaluation = (message: SliceMessage, deadline: number, returnsUntil?: number) => Promise<SliceResult>;

export interface EvaluationDependencies {
  readonly runs: Runs;
  readonly slices: Slices;
  /** Returns true if a project exists, and neither it nor its organization is being deleted; absent: every project exists. */
  readonly projectExists?: (project: string) => Promise<boolean>;
  readonly settlement: Settlement;
  readonly runInTurn: RunInTurn;
  readonly targets: TargetEvaluators;
  readonly judge: Pick<Judge, "readiness">;
  /** Returns the models that judge a run; absent: only the model of the run. */
  readonly judgingModels?: (order: RunOrder) => Promise<readonly string[]>;
  readonly spending: SpendingDependencies;
  /** Maximum number of concurrent judge calls in one delivery. */
  readonly calls: number;
  readonly now: () => number;
}

const nothingLeftToDo: SliceResult = { kind: "over" };
const handledElsewhere: SliceResult = { kind: "duplicate" };

const resultOfWait = ({ until, asleep }: SlicePause): SliceResult => ({ kind: asleep ? "asleep" : "later", at: until });

/**
 * The run and the turn of a delivery, its deadline, and the last instant at which its message may return, both in epoch
 * milliseconds.
 */
interface Delivery {
  readonly run: StoredRun;
  readonly turn: Turn;
  readonly deadline: number;
  readonly returnsUntil: number;
}

const emptyRemainder: Remainder = { deferred: [], unfunded: [], postponedUntil: 0, answeredAt: new Map() };

/** Names of the models that a delivery waits for; a call that may fail because of its input says nothing of its model. */
const unansweredModels = ({ deferred }: Remainder): readonly string[] =>
  deferred.flatMap(({ verdict }) => (verdict.isDoubtful === true ? [] : [modelIn(verdict.metadata)]));

const nothingHeld = (): Awaited<ReturnType<Slices["heldJudgements"]>> => ({ judgements: new Map(), items: [] });

/** Limits of a commit group: a judgement is durable within a second, and few transactions save writes of the slice item. */
const grouping = { sizeOf: commitActions, maxDelay: 750 };

/** Creates the worker of the run pipeline. It leases a slice, judges the unsettled pairs, commits, and reports when the slice is due again. */
export const sliceEvaluation = (dependencies: EvaluationDependencies): SliceEvaluation => {
  const { runs, slices, settlement, judge, now, projectExists = async () => true } = dependencies;
  /** Instants of the latest answers by model, of all slices of this process. */
  const answeredAt = new Map<string, number>();
  const leases = { ...slices, hasProject: ({ slice }: Pick<StoredSlice, "slice">) => projectExists(slice.projectId) };

  /** Releases the lease of an unfinished slice with the instant of its next attempt. */
  const releaseUnfinished = async (
    claimed: StoredSlice,
    leased: StoredSlice,
    remainder: Remainder,
    doubts: Doubts,
    { run, returnsUntil, turn }: Delivery,
  ): Promise<SliceResult> => {
    const hasProgressed = leased.commits > claimed.commits;
    // A delivery that yields to another project does not count as fruitless.
    const hasYielded = turn.isOver() && !hasProgressed && remainder.deferred.length === 0;
    const { deferred, postponedUntil } = remainder;
    const isTooEarly = postponedUntil > now() && deferred.length === 0;
    const retryAfter = deferred.map(({ verdict }) => verdict.retryAfter ?? 0);
    const at = isTooEarly
      ? postponedUntil
      : nextAttemptAt(now(), hasProgressed || hasYielded, claimed.fruitless, retryAfter);
    const usage = deferredUsage(leased, remainder);
    const pause = pauseUntil(at, now(), returnsUntil);
    const awaySince = deferred.length > 0 && !hasProgressed ? (claimed.awaySince ?? now()) : null;
    await slices.release(leased, {
      ...pause,
      // A delivery that came before its targets were complete does not count as fruitless.
      fruitless: (isTooEarly && !hasProgressed) || hasYielded ? claimed.fruitless - 1 : leased.fruitless,
      awaySince,
      waiting: deferred[0]?.verdict.reason ?? null,
      waits: 0,
      doubts,
      usage,
      run,
      event: judgeUnavailableEvent(run.run.order, awaySince, now()) ?? undefined,
    });
    return resultOfWait(pause);
  };

  /** Releases the lease of a slice that waits for budget. The delivery does not count as fruitless. */
  const waitForBudget = async (
    claimed: StoredSlice,
    leased: StoredSlice,
    remainder: Remainder,
    { until, message, isTemporary }: Extract<Shortage, { kind: "wait" }>,
    { run, returnsUntil }: Delivery,
  ): Promise<SliceResult> => {
    const hasProgressed = leased.commits > claimed.commits;
    const pause = pauseUntil(until, now(), returnsUntil);
    await slices.release(leased, {
      ...pause,
      fruitless: hasProgressed ? leased.fruitless : claimed.fruitless - 1,
      awaySince: hasProgressed ? null : claimed.awaySince,
      waiting: message,
      waits: hasProgressed ? 1 : claimed.waits + 1,
      usage: deferredUsage(leased, remainder),
      run,
      event:
        !isTemporary && (hasProgressed || claimed.waits === 0)
          ? runWaitingEvent(run.run.order, message, now())
          : undefined,
    });
    return resultOfWait(pause);
  };

  /** Reason, for an operator, why the models of a run cannot judge it; null if they can or none is needed. */
  const obstacleOf = async (order: RunOrder): Promise<string | null> => {
    const models = (await dependencies.judgingModels?.(order)) ?? [order.resolvedModel];
    for (const model of models) {
      const readiness = await judge.readiness(model);
      const obstacle = readiness.ready ? missingPriceMessage(dependencies.spending, order, model) : readiness.message;
      if (obstacle !== null) return obstacle;
    }
    return null;
  };

  const workOnSlice = async (claim: StoredSlice, delivery: Delivery): Promise<SliceResult> => {
    const { run, deadline, turn } = delivery;
    const { order } = run.run;
    let isLost = (): boolean => false;
    const calls = order.sequential ? 1 : dependencies.calls;
    const isOver = (): boolean => isLost() || turn.isOver();
    const canStart = (): boolean => !group.failed && !isOver() && now() + startReserve < deadline;
    const conditions = { maxConcurrent: calls, canStart, committed: () => leased.slice.usage, now };
    const budget = await sliceBudget(dependencies.spending, order, claim, conditions);
    // The next commit or release of the slice stores the forfeit; repeated, it is the same total.
    const usage = withForfeit(claim.slice.usage, budget.forfeit);
    const claimed = { ...claim, slice: { ...claim.slice, usage } };
    let leased = claimed;
    const evaluator = dependencies.targets[order.targetType];
    const { judgements: heldJudgements, items } =
      order.judge === undefined ? nothingHeld() : await slices.heldJudgements(claimed.slice);
    let heldItems = items;
    const maxSize = order.judge === undefined ? maxCommitActions : maxCascadeActions;
    const group = commitGroup(
      async (batch) => {
        leased = await settlement.commit(leased, order.metrics.length, batch, heldItems);
        const openItems = heldItems.filter((item) => !item.every((pair) => isSettled(leased.slice.bits, pair)));
        const storedItems = batch.flatMap((settled) => (settled.kind === "held" ? settled.items : []));
        // Verdicts on a trace that was sent again replace the items of its former ones.
        heldItems = [...new Map([...openItems, ...storedItems].map((item) => [item[0], item])).values()];
      },
      { ...grouping, maxSize, canRetry: () => now() + commitReserve < deadline },
    );

    if (claimed.fruitless > maxFruitlessDeliveries && claimed.awaySince === null) {
      const reason = `Judging was given up after ${maxFruitlessDeliveries} attempts without progress.`;
      await giveUp(evaluator, order, claimed, group, { reason, code: "internal" }, [], heldJudgements);
      return nothingLeftToDo;
    }
    const obstacle = await obstacleOf(order);
    if (obstacle !== null) {
      await giveUp(evaluator, order, claimed, group, { reason: obstacle, code: null }, [], heldJudgements);
      return nothingLeftToDo;
    }
    let lastRemainder: Remainder = emptyRemainder;
    /** Settles the pairs that fail whatever is waited for, as failed. */
    const endHopeless = async (
      result: Remainder,
    ): Promise<{ readonly remainder: Remainder; readonly doubts: Doubts }> => {
      for (const [model, at] of result.answeredAt) answeredAt.set(model, at);
      const failed = result.deferred.flatMap(({ target, pairs, verdict }) => {
        const model = modelIn(verdict.metadata);
        const hasAnsweredSince = (instant: number): boolean => (answeredAt.get(model) ?? 0) > instant;
        const isOnlyTarget =
          result.answeredAt.has(model) &&
          result.deferred.every((other) => other.target === target || modelIn(other.verdict.metadata) !== model);
        return verdict.isDoubtful ? pairs.map((pair) => ({ pair, hasAnsweredSince, isOnlyTarget })) : [];
      });
      const doubts = doubtsAfter(claimed.doubts, failed, (pair) => !isSettled(leased.slice.bits, pair), now());
      const isEnding = ({ pairs, verdict }: Deferral): boolean =>
        verdict.isDoubtful === true && pairs.every((pair) => isHopeless(doubts.get(pair)));
      const ending = result.deferred.filter(isEnding);
      const [first] = ending;
      if (first === undefined) return { remainder: result, doubts };
      const endingPairs = new Set(ending.flatMap(({ pairs }) => pairs));
      const { code, reason } = first.verdict;
      const isChosen = (pair: number): boolean => endingPairs.has(pair);
      await giveUp(evaluator, order, leased, group, { reason, code }, ending, heldJudgements, isChosen);
      const deferred = result.deferred.filter((deferral) => !isEnding(deferral));
      return { remainder: { ...result, deferred }, doubts };
    };
    const result = withLeaseRenewal(leases, claimed, async (lost) => {
      isLost = lost;
      const result = await judgeSlice(evaluator, order, claimed, {
        group,
        isStopped: isOver,
        budget,
        heldJudgements,
        deadline,
        calls,
        now,
      });
      lastRemainder = result;
      turn.noteAnswers({ answered: [...result.answeredAt.keys()], unanswered: unansweredModels(result) });
      const { remainder, doubts } = await endHopeless(result);
      lastRemainder = remainder;
      const shortage = budget.shortage();
      if (shortage?.kind === "end" && remainder.deferred.length === 0) {
        const unfunded = { reason: shortage.message, code: null, isUnfunded: true } as const;
        await giveUp(evaluator, order, leased, group, unfunded, remainder.unfunded, heldJudgements);
      }
      const awaySince = remainder.deferred.length === 0 ? null : (claimed.awaySince ?? now());
      const [first] = remainder.deferred;
      if (first !== undefined && isProviderUnavailableTooLong(awaySince, now())) {
        // The other deferred pairs fail too: they would wait for the same provider.
        const { code, reason } = first.verdict;
        await giveUp(evaluator, order, leased, group, { reason, code }, remainder.deferred, heldJudgements);
      }
      if (leased.slice.state === "done") return nothingLeftToDo;
      return shortage?.kind === "wait" && remainder.deferred.length === 0
        ? await waitForBudget(claimed, leased, remainder, shortage, delivery)
        : await releaseUnfinished(claimed, leased, remainder, doubts, delivery);
    });
    try {
      return await result;
    } finally {
      const { slice } = leased;
      await budget.close(slice.state === "done" ? slice.usage : deferredUsage(leased, lastRemainder));
    }
  };

  const resultOfRefusal = (claim: ReturnType<typeof claimRefusal>): SliceResult => {
    if (claim.kind === "over") return nothingLeftToDo;
    // The lease holder has its own message, and the sweeper notices if it dies.
    if (claim.isLeased) return claim.borrowed ? { kind: "later", at: claim.until + 1000 } : handledElsewhere;
    if (claim.asleep && claim.until - now() > maxMessageDelay) return handledElsewhere;
    return { kind: "later", at: Math.max(claim.until, now() + 1000) };
  };

  const evaluate = async (slice: string, delivery: Delivery): Promise<SliceResult> => {
    const { projectId, id } = delivery.run.run.order;
    const claim = await slices.claim(projectId, id, slice, delivery.turn.isBorrowed);
    if (claim.kind !== "claimed") return resultOfRefusal(claim);
    try {
      return await workOnSlice(claim.slice, delivery);
    } catch (error) {
      if (error instanceof LostLease) return { kind: "later", at: now() + leaseMilliseconds };
      throw error;
    }
  };

  /** Evaluates the slices of a sequential run in order: only the first open slice may be in work. */
  const evaluateSequentially = async (delivery: Delivery): Promise<SliceResult> => {
    const { run, attempt } = delivery.run;
    for (const storedSlice of await runs.slices(run.order.projectId, run.order.id, attempt)) {
      const { slice, until } = storedSlice;
      if (slice.state !== "open") continue;
      if (until > now()) return resultOfRefusal(claimRefusal(storedSlice));
      if (now() + startReserve >= delivery.deadline || delivery.turn.isOver())
        return { kind: "later", at: now() + 1000 };
      const result = await evaluate(slice.id, delivery);
      if (result.kind !== "over") return result;
    }
    return nothingLeftToDo;
  };

  /** Reads the run of a slice message; returns a result instead if there is no work to do. */
  const checkRun = async ({ project, run, slice }: SliceMessage): Promise<StoredRun | SliceResult> => {
    const { storedRun, slice: storedSlice } = await runs.readWith(project, run, slice);
    if (storedRun === null || storedRun.isCreating || isTerminal(storedRun.run.status)) return nothingLeftToDo;
    // Checked before any write, so that a duplicate delivery costs one read.
    const isFree = storedSlice?.slice.state === "open" && storedSlice.until <= now();
    if (!storedRun.run.order.sequential && !isFree) return resultOfRefusal(claimRefusal(storedSlice));
    // The deletion of the project ends the run within minutes.
    return (await projectExists(project)) ? storedRun : nothingLeftToDo;
  };

  const startWork = async (slice: string, delivery: Delivery) => {
    const { order, status } = delivery.run.run;
    if (status === "PENDING") await runs.begin(order.projectId, order.id);
    return order.sequential ? await evaluateSequentially(delivery) : await evaluate(slice, delivery);
  };

  return async (message, deadline, returnsUntil = Number.POSITIVE_INFINITY) => {
    const ownRun = await checkRun(message);
    if ("kind" in ownRun) return ownRun;
    return await dependencies.runInTurn(message, async (turn) => {
      const times = { deadline, returnsUntil, turn };
      if (!turn.isBorrowed) return await startWork(message.slice, { ...times, run: ownRun });
      const borrowedRun = await checkRun(turn.message);
      if (!("kind" in borrowedRun))
        await withLogContext(logContextOfRun(borrowedRun), async () => {
          const { kind: outcome } = await startWork(turn.message.slice, { ...times, run: borrowedRun });
          logLine("borrowed_slice_completed", { outcome });
        });
      // The slice of the received message is still open.
      return { kind: "later", at: now() };
    });
  };
};
