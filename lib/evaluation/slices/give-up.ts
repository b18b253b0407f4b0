import { noUsage, type RunOrder } from "../../domain/runs/run.ts";
import type { StoredHeldJudgement } from "../../store/runs/held-judgements.ts";
import { keptJudgement } from "../../judge/decision/escalation.ts";
import type { FailureCode } from "../../domain/scores/reason-codes.ts";
import { withExpenses } from "../../judge/verdict/expense-fields.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import type { CommitGroup } from "./commit-group.ts";
import type { Deferral } from "./judge-slice.ts";
import { failedJudgement, judgedPair, judgementOf, unscoredPair, usageOf } from "./settled-pairs.ts";
import { metricOf, unsettledPairs, type DeferredVerdict, type TargetEvaluator } from "./target-work.ts";

/** Reason for giving up on a slice. */
interface GiveUpReason {
  readonly reason: string;
  /** Failure code of the stored scores; null stores no scores, because the run failed as a whole. */
  readonly code: FailureCode | null;
  /** True if money is missing. */
  readonly isUnfunded?: boolean;
}

/** Verdicts by pair; what the pairs of a deferral cost together is the expense of its first pair. */
const verdictsByPair = (deferrals: readonly Deferral[]): ReadonlyMap<number, DeferredVerdict> => {
  const verdicts = new Map<number, DeferredVerdict>();
  for (const { pairs, verdict } of deferrals)
    for (const [index, pair] of pairs.entries()) {
      const earlier = verdicts.get(pair);
      const sources = [...(index === 0 ? [verdict.metadata] : []), earlier?.metadata ?? {}];
      verdicts.set(pair, { ...verdict, metadata: withExpenses(verdict.metadata, sources) });
    }
  return verdicts;
};

/**
 * Settles every unsettled pair of a slice, or some of them, without judge calls: by its first verdict if the second judge was still to be asked, else as
 * failed.
 *
 * @param deferrals pairs that fail with the reason of their own verdict. @param heldJudgements first verdicts by pair.
 * @param isChosen true for a pair to settle; all if absent.
 */
export const giveUp = async (
  evaluator: TargetEvaluator,
  order: RunOrder,
  { slice }: StoredSlice,
  group: CommitGroup,
  { reason, code, isUnfunded = false }: GiveUpReason,
  deferrals: readonly Deferral[] = [],
  heldJudgements: ReadonlyMap<number, StoredHeldJudgement> = new Map(),
  isChosen: (pair: number) => boolean = () => true,
): Promise<void> => {
  const verdictByPair = verdictsByPair(deferrals);
  for (const target of slice.targets.keys()) {
    const sliceTarget = { order, slice, target };
    const unsettled = unsettledPairs(sliceTarget).filter(isChosen);
    if (unsettled.length === 0) continue;
    const hasHeld = unsettled.some((pair) => heldJudgements.has(pair));
    const scorer = code === null && !hasHeld ? null : await evaluator.scorer(sliceTarget);
    for (const pair of unsettled) {
      const verdict = verdictByPair.get(pair);
      const first = heldJudgements.get(pair);
      if (first !== undefined && scorer !== null) {
        const judgement = keptJudgement(first.judgement, isUnfunded ? "unfunded" : "failed", verdict);
        const checkedScore = scorer(metricOf(sliceTarget, pair), judgement);
        if (checkedScore.check.incarnation === first.incarnation) {
          const usage = usageOf(verdict?.metadata ?? {});
          group.add(judgedPair(pair, judgement, checkedScore, isUnfunded ? usage : { ...usage, escalated: 1 }));
          continue;
        }
      }
      if (code === null || scorer === null) {
        const usage = verdict === undefined ? noUsage : usageOf(verdict.metadata);
        group.add(unscoredPair(pair, code === null ? reason : null, usage));
        continue;
      }
      const judgement = verdict === undefined ? failedJudgement(reason, { code }) : judgementOf(verdict);
      group.add(judgedPair(pair, judgement, scorer(metricOf(sliceTarget, pair), judgement)));
    }
  }
  await group.drain();
};
