import type { JsonObject } from "../domain/json.ts";
import { isTerminal } from "../domain/run.ts";
import type { RunOrder } from "../domain/run.ts";
import { faultFields, logLine } from "../log.ts";
import type { Judge } from "../judge/judge.ts";
import type { SliceMessage } from "../queue/slice-message.ts";
import type { Runs } from "../store/runs.ts";
import { LostLease, maxPairsPerCommit, type Settlement } from "../store/settlement.ts";
import type { StoredSlice } from "../store/slice-codec.ts";
import { leaseMilliseconds, type Slices } from "../store/slices.ts";
import type { StoredTrace, TraceReader } from "../store/trace-reader.ts";
import { commitGroup, type CommitGroup } from "./commit-group.ts";
import { evaluateTarget, judgedPair, openPairs, unscoredPair, type Deferred } from "./evaluate-target.ts";
import { maxDeferrals, maxFruitless, nextTry, providerGivenUp } from "./patience.ts";
import { semaphore } from "./semaphore.ts";

/** What became of a delivery: nothing is left to do, or the slice is to be tried again then (epoch milliseconds). */
export type SliceResult = { readonly kind: "over" } | { readonly kind: "later"; readonly at: number };

/** Works on one slice until it is done or time runs out. @param deadline epoch milliseconds. */
export type SliceEvaluation = (message: SliceMessage, deadline: number) => Promise<SliceResult>;

export interface EvaluationParts {
  readonly runs: Runs;
  readonly slices: Slices;
  readonly settlement: Settlement;
  readonly traces: TraceReader;
  readonly judge: Judge;
  /** Judge calls at a time. */
  readonly calls: number;
  readonly now: () => number;
}

/** A pair is only begun while its judge call, a retry included, can still end in time. */
const startReserve = 70_000;

/** Kept for committing after the last call. */
const commitReserve = 5_000;

const allEnded = async (tasks: readonly Promise<void>[]): Promise<void> => {
  const results = await Promise.allSettled(tasks);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
};

/** The worker of the pipeline: lease, judge what is not settled, commit, and say when to come back. */
export const sliceEvaluation = (parts: EvaluationParts): SliceEvaluation => {
  const { runs, slices, settlement, traces, judge, now } = parts;

  /** Judges the open pairs. @returns the pairs whose provider was away. */
  const judgeOpen = async (
    order: RunOrder,
    held: StoredSlice,
    group: CommitGroup,
    lost: () => boolean,
    deadline: number,
  ) => {
    const deferred: { pair: number; target: number; verdict: Deferred; trace: StoredTrace }[] = [];
    const calls = semaphore(parts.calls);
    const lanes = semaphore(parts.calls);
    const mayStart = (): boolean =>
      !group.failed && !lost() && deferred.length < maxDeferrals && now() + startReserve < deadline;
    const targets = held.slice.targets.map((_, target) =>
      lanes(() =>
        evaluateTarget(
          {
            order,
            slice: held.slice,
            target,
            calls,
            deadline: deadline - commitReserve,
            mayStart,
            settle: (pair) => group.add(pair),
            defer: (pair, verdict, trace) => deferred.push({ pair, target, verdict, trace }),
          },
          judge,
          traces,
          now,
        ),
      ),
    );
    try {
      await allEnded(targets);
    } finally {
      // What was judged has been paid for, whatever became of the others.
      await group.drain();
    }
    return deferred;
  };

  /** Settles every open pair without a judge. @param metadata of the scores that say so; null makes no scores. */
  const giveUp = async (
    order: RunOrder,
    held: StoredSlice,
    group: CommitGroup,
    reason: string,
    metadata: JsonObject | null,
  ) => {
    const failure = metadata === null ? null : { value: null, reason, metadata };
    for (const target of held.slice.targets.keys()) {
      const place = { order, slice: held.slice, target };
      const open = openPairs(place);
      const stored =
        failure !== null && open.length > 0
          ? await traces.get(order.projectId, held.slice.targets[target] ?? "")
          : null;
      for (const pair of open) {
        group.add(
          failure === null || stored === null
            ? unscoredPair(pair, failure !== null, failure === null ? reason : null)
            : judgedPair(place, pair, stored, failure, now()),
        );
      }
    }
    await group.drain();
  };

  const work = async (order: RunOrder, claimed: StoredSlice, deadline: number): Promise<SliceResult> => {
    let held = claimed;
    let lost = false;
    let progressed = false;
    const group = commitGroup(async (pairs) => {
      held = await settlement.commit(held, order.metrics.length, pairs);
      progressed = true;
    }, maxPairsPerCommit);

    if (claimed.fruitless > maxFruitless && claimed.awaySince === null) {
      const reason = `Judging was given up after ${maxFruitless} attempts without progress.`;
      await giveUp(order, claimed, group, reason, { code: "internal" });
      return { kind: "over" };
    }
    const readiness = await judge.readiness(order.resolvedModel);
    if (!readiness.ready) {
      await giveUp(order, claimed, group, readiness.message, null);
      return { kind: "over" };
    }

    const keep = async (): Promise<void> => {
      try {
        lost ||= !(await slices.renew(claimed));
      } catch (error) {
        // The lease runs on for two more beats; a commit that comes too late fails by its epoch.
        logLine("lease_not_renewed", faultFields(error));
      }
    };
    const heartbeat = setInterval(() => {
      void keep();
    }, leaseMilliseconds / 3);
    try {
      const deferred = await judgeOpen(order, claimed, group, () => lost, deadline);
      const awaySince = deferred.length === 0 ? null : (claimed.awaySince ?? now());
      const [first] = deferred;
      if (first !== undefined && providerGivenUp(awaySince, now())) {
        for (const { pair, target, verdict, trace } of deferred) {
          const failure = {
            value: null,
            reason: verdict.reason,
            metadata: { ...verdict.metadata, code: verdict.code },
          };
          group.add(judgedPair({ order, slice: claimed.slice, target }, pair, trace, failure, now()));
        }
        await group.drain();
        // The others would wait for the same provider, a day for every few of them.
        await giveUp(order, held, group, first.verdict.reason, { code: first.verdict.code });
      }
      if (held.slice.state === "done") return { kind: "over" };
      const at = nextTry(
        now(),
        progressed,
        claimed.fruitless,
        deferred.map(({ verdict }) => verdict.retryAfter ?? 0),
      );
      await slices.giveBack(held, at, progressed ? null : awaySince);
      return { kind: "later", at };
    } finally {
      clearInterval(heartbeat);
    }
  };

  return async (message, deadline) => {
    const stored = await runs.read(message.project, message.run);
    if (stored === null || stored.creating || isTerminal(stored.run.status)) return { kind: "over" };
    const claim = await slices.claim(message.project, message.run, message.slice);
    if (claim.kind === "over") return { kind: "over" };
    if (claim.kind === "busy") return { kind: "later", at: Math.max(claim.until, now() + 1000) };
    if (stored.run.status === "PENDING") await runs.begin(message.project, message.run);
    try {
      return await work(stored.run.order, claim.held, deadline);
    } catch (error) {
      if (error instanceof LostLease) return { kind: "later", at: now() + leaseMilliseconds };
      throw error;
    }
  };
};
