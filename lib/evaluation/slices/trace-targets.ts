import { automatedScore } from "../../domain/scores/automated-score.ts";
import type { TraceScore } from "../../domain/scores/score.ts";
import { instantAt } from "../../domain/instant.ts";
import type { JudgeCascade } from "../../domain/runs/cascade.ts";
import { cascadeVersion, uncertaintyOf, withCascade } from "../../judge/decision/escalation.ts";
import type { Judge, TargetJudge } from "../../judge/judge.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import { readIfSmall, withLargeDocument } from "../../store/traces/large-documents.ts";
import type { StoredRow, StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { awaitAll } from "../../async/concurrency.ts";
import { judgedPair, judgementOf, unscoredPair } from "./settled-pairs.ts";
import {
  metricOf,
  pairGroups,
  settleVerdicts,
  targetId,
  verdictsOf,
  type OutcomeOf,
  type PairVerdict,
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

/** Returns the fingerprints of a run's cascade by the metrics that it judges; none without a second judge. */
const cascadeVersions = async (
  work: TargetWork,
  pairs: readonly number[],
  { shared }: TargetJudge,
): Promise<ReadonlyMap<string, string>> => {
  const versions = new Map<string, string>();
  const cascade = work.order.judge;
  if (cascade === undefined || shared === undefined) return versions;
  for (const metric of pairs.map((pair) => metricOf(work, pair))) {
    const first = await shared.setupOf(metric, cascade.first);
    const second = await shared.setupOf(metric, cascade.escalate.to);
    if (first !== null && second !== null) versions.set(metric, cascadeVersion(cascade, [first, second]));
  }
  return versions;
};

/** Returns the confidence of each uncertain verdict by its pair; none without a second judge. */
const uncertainPairs = (
  cascade: JudgeCascade | undefined,
  verdicts: readonly PairVerdict[],
): ReadonlyMap<number, number | null> => {
  const uncertain = new Map<number, number | null>();
  if (cascade === undefined) return uncertain;
  for (const { pair, verdict } of verdicts) {
    const confidence = uncertaintyOf(verdict, cascade.escalate);
    if (confidence !== undefined) uncertain.set(pair, confidence);
  }
  return uncertain;
};

/** Creates the evaluator of traces: every metric is one judgement. */
export const traceTargets = (
  judge: Judge,
  traces: Pick<TraceReader, "get" | "locate" | "readSmall">,
  now: () => number,
): TargetEvaluator => {
  /** Reads a trace for some work; a large one waits for its turn. */
  const withTrace = async (target: SliceTarget, use: (stored: StoredTrace | null) => Promise<void>): Promise<void> => {
    const traceKey = [target.order.projectId, targetId(target)] as const;
    const smallDocument = await readIfSmall(traces, ...traceKey);
    if (smallDocument !== null) return await use(smallDocument.stored);
    await withLargeDocument(async () => await use(await traces.get(...traceKey)));
  };

  const judgeOf = ({ order }: TargetWork, { trace, row }: StoredTrace, model: string): TargetJudge =>
    judge.target({
      runId: order.id,
      projectId: order.projectId,
      trace,
      traceVersion: row.version,
      model,
      isModelExplicit: order.model !== null,
      tier: order.tier,
    });

  /** Asks the second judge of a run about pairs of one trace. The first call runs alone, as in `evaluateTrace`. */
  const askAgain = async (
    work: TargetWork,
    members: readonly PairVerdict[],
    canStart: () => boolean,
  ): Promise<ReadonlyMap<number, Verdict>> => {
    const verdicts = new Map<number, Verdict>();
    const { order, deadline, budget } = work;
    const askAbout = async (stored: StoredTrace | null): Promise<void> => {
      if (stored === null || order.judge === undefined) return;
      const secondJudge = judgeOf(work, stored, order.judge.escalate.to);
      const ask = ({ pair, metric }: PairVerdict): Promise<void> =>
        work.calls(async () => {
          if (canStart()) verdicts.set(pair, await secondJudge.score(metric, deadline, budget));
        });
      const [first, ...others] = members;
      if (first !== undefined) await ask(first);
      await awaitAll(others.map(ask));
    };
    if (canStart()) await withTrace(work, askAbout);
    return verdicts;
  };

  /** Judges a trace. The first judge call runs alone, so that the others hit the prompt cache of the provider. */
  const evaluateTrace = async (work: TargetWork, stored: StoredTrace, pairs: readonly number[]): Promise<void> => {
    const scorer = traceScorer(work, stored, now);
    const targetJudge = judgeOf(work, stored, work.order.resolvedModel);
    const cascade = work.order.judge;
    const versions = await cascadeVersions(work, pairs, targetJudge);
    const outcomeOf: OutcomeOf = (pair, metric, verdict) => {
      const version = versions.get(metric);
      const judgement = judgementOf(
        cascade === undefined || version === undefined ? verdict : withCascade(verdict, cascade, version),
      );
      return judgedPair(pair, judgement, scorer(metric, judgement));
    };
    const score = (group: readonly number[]): Promise<void> =>
      work.calls(async () => {
        if (!work.canStart()) return;
        const verdicts = await verdictsOf(work, group, targetJudge);
        const settle = (joined: readonly PairVerdict[]): void => settleVerdicts(work, joined, outcomeOf);
        const uncertain = uncertainPairs(
          cascade,
          verdicts.filter(({ metric }) => versions.has(metric)),
        );
        if (uncertain.size === 0) settle(verdicts);
        else work.hold?.({ verdicts, uncertain, settle, askAgain: (...members) => askAgain(work, ...members) });
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
      await withTrace(work, async (stored) => {
        if (work.canStart()) await evaluateStored(work, stored, unsettled);
      });
    },
  };
};
