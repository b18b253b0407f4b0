import { automatedScore } from "../../domain/scores/automated-score.ts";
import type { TraceScore } from "../../domain/scores/score.ts";
import { instantAt } from "../../domain/instant.ts";
import type { JudgeCascade } from "../../domain/runs/cascade.ts";
import { addUsage, noUsage, usageOfMetric } from "../../domain/runs/run.ts";
import { cascadeVersion, uncertaintyOf, withCascade } from "../../judge/decision/escalation.ts";
import type { Judge, TargetJudge } from "../../judge/judge.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import { readIfSmall, withLargeDocument } from "../../store/traces/large-documents.ts";
import type { StoredRow, StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { awaitAll } from "../../async/concurrency.ts";
import { heldWrites, type StoredHeldJudgement } from "../../store/runs/held-judgements.ts";
import type { Settled } from "../../store/runs/settled-pairs.ts";
import { judgedPair, judgementOf, unscoredPair, usageOf } from "./settled-pairs.ts";
import {
  metricOf,
  pairGroups,
  settleVerdicts,
  targetId,
  verdictsOf,
  type HeldTarget,
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

/** Returns what stores first verdicts of a call with their part of its usage; nothing if all are certain. */
const heldOutcomes = (
  { order, slice }: SliceTarget,
  verdicts: readonly PairVerdict[],
  judgements: readonly StoredHeldJudgement[],
  now: number,
): readonly Settled[] => {
  if (judgements.length === 0) return [];
  const heldPairs = new Set(judgements.map(({ pair }) => pair));
  const usage = verdicts
    .filter(({ pair }) => heldPairs.has(pair))
    .map(({ pair, verdict: { metadata }, costShift }) =>
      usageOfMetric(usageOf(metadata), pair % order.metrics.length, order.metrics.length, costShift),
    )
    .reduce(addUsage, noUsage);
  return [{ kind: "held", checkedScore: null, usage, ...heldWrites(slice, judgements, now) }];
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
    members: readonly number[],
    canStart: () => boolean,
  ): Promise<ReadonlyMap<number, Verdict>> => {
    const verdicts = new Map<number, Verdict>();
    const { order, deadline, budget } = work;
    const askAbout = async (stored: StoredTrace | null): Promise<void> => {
      if (stored === null || order.judge === undefined) return;
      const secondJudge = judgeOf(work, stored, order.judge.escalate.to);
      const ask = (pair: number): Promise<void> =>
        work.calls(async () => {
          if (canStart()) verdicts.set(pair, await secondJudge.score(metricOf(work, pair), deadline, budget));
        });
      const [first, ...others] = members;
      if (first !== undefined) await ask(first);
      await awaitAll(others.map(ask));
    };
    if (canStart()) await withTrace(work, askAbout);
    return verdicts;
  };

  /** Judges a trace. The first judge call runs alone, so that the others hit the prompt cache of the provider. */
  const evaluateTrace = async (work: TargetWork, stored: StoredTrace, unsettled: readonly number[]): Promise<void> => {
    const scorer = traceScorer(work, stored, now);
    const targetJudge = judgeOf(work, stored, work.order.resolvedModel);
    const cascade = work.order.judge;
    const versions = await cascadeVersions(work, unsettled, targetJudge);
    const finalJudgementOf: HeldTarget["judgementOf"] = (pair, verdict) => {
      const version = versions.get(metricOf(work, pair));
      return judgementOf(
        cascade === undefined || version === undefined ? verdict : withCascade(verdict, cascade, version),
      );
    };
    const outcomeOf: OutcomeOf = (pair, metric, verdict) => {
      const judgement = finalJudgementOf(pair, verdict);
      return judgedPair(pair, judgement, scorer(metric, judgement));
    };
    const hold = (judgements: readonly StoredHeldJudgement[]): void =>
      work.heldVerdicts?.add({
        judgements,
        settle: (pair, judgement, usage) =>
          work.settle(judgedPair(pair, judgement, scorer(metricOf(work, pair), judgement), usage)),
        defer: (pair, verdict) => work.defer([pair], verdict),
        judgementOf: finalJudgementOf,
        askAgain: (...members) => askAgain(work, ...members),
      });
    const score = (group: readonly number[]): Promise<void> =>
      work.calls(async () => {
        if (!work.canStart()) return;
        const verdicts = await verdictsOf(work, group, targetJudge);
        const uncertain = uncertainPairs(
          cascade,
          verdicts.filter(({ metric }) => versions.has(metric)),
        );
        const { incarnation } = stored.row;
        const heldJudgements = verdicts.flatMap(({ pair, verdict }) => {
          const confidence = uncertain.get(pair);
          return confidence === undefined || verdict.kind === "deferred"
            ? []
            : [{ pair, confidence, incarnation, judgement: finalJudgementOf(pair, verdict) }];
        });
        const certainVerdicts = verdicts.filter(({ pair }) => !uncertain.has(pair));
        settleVerdicts(work, certainVerdicts, outcomeOf, heldOutcomes(work, verdicts, heldJudgements, now()));
        if (heldJudgements.length > 0) hold(heldJudgements);
      });
    const storedJudgements = unsettled.flatMap((pair) => work.heldVerdicts?.stored.get(pair) ?? []);
    const heldJudgements = storedJudgements.filter(({ incarnation }) => incarnation === stored.row.incarnation);
    if (heldJudgements.length > 0) hold(heldJudgements);
    const heldPairs = new Set(heldJudgements.map(({ pair }) => pair));
    const pairs = unsettled.filter((pair) => !heldPairs.has(pair));
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
