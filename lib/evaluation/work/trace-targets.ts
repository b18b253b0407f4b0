import { automatedScore } from "../../domain/scores/automated-score.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Judge } from "../../judge/judge.ts";
import type { StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { allEnded } from "../../async/all-ended.ts";
import { judgedPair, judgementOf, unscoredPair } from "./settled-pairs.ts";
import { metricOf, targetId, unsettledPairs, type Scorer, type TargetKind, type TargetPlace } from "./target-work.ts";

/** Makes the scores of a trace that a run asks for. */
export const traceScorer = (
  { order }: Pick<TargetPlace, "order">,
  { trace, row, expiresAt }: StoredTrace,
  now: () => number,
): Scorer => {
  const { traceId, startedAt, incarnation } = row;
  return (metric, judgement) => ({
    score: automatedScore(
      { projectId: order.projectId, runId: order.id, target: traceId, metric },
      judgement,
      trace.environment,
      instantAt(now()),
    ),
    witness: { traceId, startedAt, incarnation, expiresAt },
  });
};

/** Traces as targets: every metric is a judgement. */
export const traceTargets = (judge: Judge, traces: Pick<TraceReader, "get">, now: () => number): TargetKind => {
  const read = (place: TargetPlace) => traces.get(place.order.projectId, targetId(place));
  return {
    scorer: async (place) => {
      const stored = await read(place);
      return stored === null ? null : traceScorer(place, stored, now);
    },

    /** The first call of a target runs alone, so that the others find the provider's prompt cache warm. */
    evaluate: async (work) => {
      const [first, ...others] = unsettledPairs(work);
      if (first === undefined || !work.mayStart()) return;
      const stored = await read(work);
      if (stored === null) {
        for (const pair of [first, ...others]) work.settle(unscoredPair(pair, null));
        return;
      }
      const scored = traceScorer(work, stored, now);
      const targetJudge = judge.target({
        runId: work.order.id,
        trace: stored.trace,
        traceVersion: stored.row.version,
        model: work.order.resolvedModel,
      });
      const score = (pair: number): Promise<void> =>
        work.calls(async () => {
          if (!work.mayStart()) return;
          work.started();
          const metric = metricOf(work, pair);
          const verdict = await targetJudge.score(metric, work.deadline);
          if (verdict.kind === "deferred") return work.defer([pair], verdict);
          const judgement = judgementOf(verdict);
          work.settle(judgedPair(pair, judgement, scored(metric, judgement)));
        });
      await score(first);
      await allEnded(others.map(score));
    },
  };
};
