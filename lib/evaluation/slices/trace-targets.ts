import { automatedScore } from "../../domain/scores/automated-score.ts";
import type { TraceScore } from "../../domain/scores/score.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Judge } from "../../judge/judge.ts";
import { glance, withLarge } from "../../store/traces/large-documents.ts";
import type { StoredRow, StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { allEnded } from "../../async/all-ended.ts";
import { judgedPair, judgementOf, unscoredPair } from "./settled-pairs.ts";
import {
  metricOf,
  targetId,
  unsettledPairs,
  type Scorer,
  type TargetKind,
  type TargetPlace,
  type TargetWork,
} from "./target-work.ts";

/** Makes the scores of a trace that a run asks for. */
export const traceScorer = (
  { order }: Pick<TargetPlace, "order">,
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
    witness: { traceId, startedAt, incarnation, expiresAt },
  });
};

/** Traces as targets: every metric is a judgement. */
export const traceTargets = (
  judge: Judge,
  traces: Pick<TraceReader, "get" | "locate" | "readSmall">,
  now: () => number,
): TargetKind => {
  /** The first call of a target runs alone, so that the others find the provider's prompt cache warm. */
  const evaluateTrace = async (
    work: TargetWork,
    stored: StoredTrace,
    [first, ...others]: readonly number[],
  ): Promise<void> => {
    const scored = traceScorer(work, stored, now);
    const targetJudge = judge.target({
      runId: work.order.id,
      projectId: work.order.projectId,
      trace: stored.trace,
      traceVersion: stored.row.version,
      model: work.order.resolvedModel,
      isChosen: work.order.model !== null,
      tier: work.order.tier,
    });
    const score = (pair: number): Promise<void> =>
      work.calls(async () => {
        if (!work.mayStart()) return;
        const metric = metricOf(work, pair);
        const verdict = await targetJudge.score(metric, work.deadline, work.purse);
        if (verdict.kind === "deferred") return work.defer([pair], verdict);
        const judgement = judgementOf(verdict);
        work.settle(judgedPair(pair, judgement, scored(metric, judgement)));
      });
    if (first !== undefined) await score(first);
    await allEnded(others.map(score));
  };

  const evaluateFound = async (
    work: TargetWork,
    stored: StoredTrace | null,
    pairs: readonly number[],
  ): Promise<void> => {
    if (stored !== null) return await evaluateTrace(work, stored, pairs);
    for (const pair of pairs) work.settle(unscoredPair(pair, null));
  };

  return {
    scorer: async (place) => {
      const stored = await traces.locate(place.order.projectId, targetId(place));
      return stored === null ? null : traceScorer(place, stored, now);
    },

    evaluate: async (work) => {
      const unsettled = unsettledPairs(work);
      if (unsettled.length === 0 || !work.mayStart()) return;
      const place = [work.order.projectId, targetId(work)] as const;
      const seen = await glance(traces, ...place);
      if (seen !== null) return await evaluateFound(work, seen.stored, unsettled);
      await withLarge(async () => {
        if (work.mayStart()) await evaluateFound(work, await traces.get(...place), unsettled);
      });
    },
  };
};
