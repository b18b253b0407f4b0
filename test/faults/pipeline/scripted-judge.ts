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
  readonly model: string;
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

/** Model that judges several metrics in one call, with a confidence. */
export const decisionModel = "scripted/decisions";

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
      target: ({ runId, trace, model }) => {
        /** Judges metrics in one call, which meets one fault for all. */
        const scoreAll = async (metrics: readonly string[], deadline: number): Promise<readonly Verdict[]> => {
          if (process.crashed()) throw new Crash();
          const { slow, hangs, throws, crash } = faults();
          const callOf = (metric: string) => ({
            delivery: process.delivery,
            run: runId,
            model,
            target: trace.trace_id,
            metric,
          });
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
            for (const metric of metrics) calls.push({ ...callOf(metric), answer: "threw" });
            throw new Error("The judge has a bug.");
          }
          const verdicts = metrics.map((metric) => {
            const verdict = answer(`${runId} ${trace.trace_id} ${metric}`);
            calls.push({
              ...callOf(metric),
              answer: verdict.kind === "scored" ? reasonOf(verdict.value) : verdict.kind,
            });
            if (model !== decisionModel) return verdict;
            const confidence = random.next();
            return { ...verdict, metadata: { model, confidence, shared_call: { id: "call", questions: 1 } } };
          });
          if (process.crashed()) throw new Crash();
          return verdicts;
        };
        const score = async (metric: string, deadline: number): Promise<Verdict> => {
          const [verdict] = await scoreAll([metric], deadline);
          if (verdict === undefined) throw new Error("A call has a verdict for each metric.");
          return verdict;
        };
        const setupOf = async (metric: string): Promise<string> => `setup of ${metric}`;
        const groupsOf = async (metrics: readonly string[]) =>
          [metrics.slice(0, 4), metrics.slice(4)].filter((group) => group.length > 0);
        return { score, ...(model === decisionModel && { shared: { groupsOf, scoreAll, setupOf } }) };
      },
    }),
  };
};
