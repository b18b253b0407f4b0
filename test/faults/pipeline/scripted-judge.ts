import type { Judge } from "../../../lib/judge/judge.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import type { Random } from "../../support/random.ts";
import { Crash } from "../../support/faults/faults.ts";
import { tallied, type Tally } from "../../support/faults/seeded-faults.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** A call of the judge with its answer. */
export interface JudgeCall {
  readonly delivery: number;
  readonly run: string;
  readonly target: string;
  readonly metric: string;
  readonly answer: string;
}

/** Probabilities of judge faults, each per call; the remaining calls return a score. */
export interface JudgeFaults {
  readonly deferred: number;
  readonly throws: number;
  readonly slow: number;
  /** The judge does not answer before the function is killed. */
  readonly hangs: number;
  /** The process crashes during the judge call. */
  readonly crash: number;
}

export const noJudgeFaults: JudgeFaults = { deferred: 0, throws: 0, slow: 0, hangs: 0, crash: 0 };

/** Milliseconds, longer than the time limit of any function. */
const hanging = 200_000;

interface Deliverer {
  readonly delivery: number;
  readonly crashed: () => boolean;
  readonly crash: () => void;
}

/**
 * A judge with seeded answers; the same pair gets a different answer each time, so that a second score is detectable.
 */
export interface ScriptedJudge {
  readonly calls: readonly JudgeCall[];
  /** The judge as used by the process of one delivery. */
  forProcess(process: Deliverer): Judge;
}

const reasonOf = (value: number): string => `It is worth ${value}.`;

/**
 * @param failureShare share of pairs that always fail permanently.
 * @param faults read at every call.
 */
export const scriptedJudge = (
  random: Random,
  clock: VirtualClock,
  failureShare: number,
  faults: () => JudgeFaults,
  tally: Tally,
): ScriptedJudge => {
  const calls: JudgeCall[] = [];

  const answer = (pair: string): Verdict => {
    if (random.chance(faults().deferred)) {
      tallied(tally, "deferred judge");
      const retryAfter = random.chance(0.3) ? random.below(20_000) : null;
      return { kind: "deferred", code: "judge_unavailable", reason: "It is away.", retryAfter, metadata: {} };
    }
    if (random.fork(pair).chance(failureShare)) {
      return { kind: "failed", code: "judge_refused", reason: "It refused.", metadata: {} };
    }
    const value = random.below(10_001) / 10_000;
    return { kind: "scored", value, reason: reasonOf(value), metadata: {} };
  };

  return {
    calls,
    forProcess: (process) => ({
      readiness: async () => ({ ready: true }),
      target: ({ runId, trace }) => ({
        score: async (metric, deadline) => {
          if (process.crashed()) throw new Crash();
          const { slow, hangs, throws, crash } = faults();
          const call = { delivery: process.delivery, run: runId, target: trace.trace_id, metric };
          if (random.chance(slow)) {
            tallied(tally, "slow judge");
            await clock.sleep(Math.min(random.below(70_000), Math.max(0, deadline - clock.now())));
          }
          if (random.chance(hangs)) {
            tallied(tally, "hangs judge");
            await clock.sleep(hanging);
          }
          if (random.chance(crash)) {
            tallied(tally, "crash judge");
            process.crash();
          }
          if (random.chance(throws)) {
            tallied(tally, "throws judge");
            calls.push({ ...call, answer: "threw" });
            throw new Error("The judge has a bug.");
          }
          const verdict = answer(`${runId} ${trace.trace_id} ${metric}`);
          calls.push({ ...call, answer: verdict.kind === "scored" ? reasonOf(verdict.value) : verdict.kind });
          if (process.crashed()) throw new Crash();
          return verdict;
        },
      }),
    }),
  };
};
