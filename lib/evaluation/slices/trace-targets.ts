import { automatedScore } from "../../domain/scores/automated-score.ts";
import type { TraceScore } from "../../domain/scores/score.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Judge } from "../../judge/judge.ts";
import { readIfSmall, withLargeDocument } from "../../store/traces/large-documents.ts";
import type { StoredRow, StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { awaitAll } from "../../async/concurrency.ts";
import { judgedPair, judgementOf, unscoredPair } from "./settled-pairs.ts";
import {
  judgePairs,
  pairGroups,
  targetId,
  unsettledPairs,
  type Scorer,
  type TargetEvaluator,
  type SliceTarget,
  type TargetWork,
} from "./target-work.ts";

/** Returns a scorer of one trace, for the scores of a run. */
export const traceScorer = (
  { order }: Pick<SliceTarget, "order">,
  { row, expiresAt }: StoredRow,
  now: () => number,
): Scorer<TraceScore> => {
  const { traceId, startedAt, incarnation } = row;
  return (metric, judgement) => ({
    score: automatedScore(
      { projectId: order.projectId, runId: order.id, target: traceId, metric },
      judgement,
      row,
      instantAt(now()),
    ),
    check: { traceId, startedAt, incarnation, expiresAt },
  });
};

/** Creates the evaluator of traces: every metric is one judgement. */
export const traceTargets = (
  judge: Judge,
  traces: Pick<TraceReader, "get" | "locate" | "readSmall">,
  now: () => number,
): TargetEvaluator => {
  /** Judges a trace. The first judge call runs alone, so that the others hit the prompt cache of the provider. */
  const evaluateTrace = async (work: TargetWork, stored: StoredTrace, pairs: readonly number[]): Promise<void> => {
    const scorer = traceScorer(work, stored, now);
    const targetJudge = judge.target({
      runId: work.order.id,
      projectId: work.order.projectId,
      trace: stored.trace,
      traceVersion: stored.row.version,
      model: work.order.resolvedModel,
      isModelExplicit: work.order.model !== null,
      tier: work.order.tier,
    });
    const score = (group: readonly number[]): Promise<void> =>
      work.calls(async () => {
        if (!work.canStart()) return;
        await judgePairs(work, group, targetJudge, (pair, metric, verdict) => {
          const judgement = judgementOf(verdict);
          return judgedPair(pair, judgement, scorer(metric, judgement));
        });
      });
    const [first, ...remainingGroups] = await pairGroups(work, pairs, targetJudge);
    if (first !== undefined) await score(first);
    await awaitAll(remainingGroups.map(score));
  };

  const evaluateStored = async (
    work: TargetWork,
    stored: StoredTrace | null,
    pairs: readonly number[],
  ): Promise<void> => {
    if (stored !== null) return await evaluateTrace(work, stored, pairs);
    for (const pair of pairs) work.settle(unscoredPair(pair, null));
  };

  return {
    scorer: async (sliceTarget) => {
      const stored = await traces.locate(sliceTarget.order.projectId, targetId(sliceTarget));
      return stored === null ? null : traceScorer(sliceTarget, stored, now);
    },

    evaluate: async (work) => {
      const unsettled = unsettledPairs(work);
      if (unsettled.length === 0 || !work.canStart()) return;
      const traceKey = [work.order.projectId, targetId(work)] as const;
      const smallDocument = await readIfSmall(traces, ...traceKey);
      if (smallDocument !== null) return await evaluateStored(work, smallDocument.stored, unsettled);
      await withLargeDocument(async () => {
        if (work.canStart()) await evaluateStored(work, await traces.get(...traceKey), unsettled);
      });
    },
  };
};
