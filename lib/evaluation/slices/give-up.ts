import { noUsage } from "../../domain/runs/judge-usage.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { FailureCode } from "../../domain/scores/reason-codes.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import type { CommitGroup } from "./commit-group.ts";
import type { Deferral } from "./judge-slice.ts";
import { failedJudgement, judgedPair, judgementOf, unscoredPair, usageOf } from "./settled-pairs.ts";
import { metricOf, unsettledPairs, type TargetKind } from "./target-work.ts";

/** Why nobody goes on. @param code of the scores that say so; null makes no scores: the run failed as a whole. */
interface GivenUp {
  readonly reason: string;
  readonly code: FailureCode | null;
}

/** Settles every unsettled pair of a slice without a judge. @param deferred pairs that have a reason of their own. */
export const giveUp = async (
  kind: TargetKind,
  order: RunOrder,
  { slice }: StoredSlice,
  group: CommitGroup,
  { reason, code }: GivenUp,
  deferred: readonly Deferral[] = [],
): Promise<void> => {
  const own = new Map(deferred.flatMap(({ pairs, verdict }) => pairs.map((pair) => [pair, verdict])));
  for (const target of slice.targets.keys()) {
    const place = { order, slice, target };
    const unsettled = unsettledPairs(place);
    if (unsettled.length === 0) continue;
    const scored = code === null ? null : await kind.scorer(place);
    for (const pair of unsettled) {
      const verdict = own.get(pair);
      if (code === null || scored === null) {
        const usage = verdict === undefined ? noUsage : usageOf(verdict.metadata);
        group.add(unscoredPair(pair, code === null ? reason : null, usage));
        continue;
      }
      const judgement = verdict === undefined ? failedJudgement(reason, { code }) : judgementOf(verdict);
      group.add(judgedPair(pair, judgement, scored(metricOf(place, pair), judgement)));
    }
  }
  await group.drain();
};
