import { automatedSessionScore, type Judgement } from "../../domain/scores/automated-score.ts";
import { metricReference } from "../../domain/metrics/custom/reference.ts";
import { isObject } from "../../domain/json.ts";
import { epochOf, instantAt } from "../../domain/instant.ts";
import {
  signalNames,
  weightsWith,
  type SessionSignals,
  type SignalName,
  type SignalWeights,
} from "../../domain/scores/signals.ts";
import type { Judge } from "../../judge/judge.ts";
import type { SessionSignal } from "../../domain/scores/score.ts";
import { sessionVersion } from "../../domain/scores/session-version.ts";
import { judgedCatalogue } from "../../metrics/trace/catalogue.ts";
import type { AggregateMetric } from "../../judge/verdict/computed-metrics.ts";
import type { FindCustomMetric } from "../../judge/target-judge.ts";
import { isOfflineModel } from "../../domain/scores/score.ts";
import { fullModelName } from "../../domain/runs/model.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import { judgeSession } from "../../metrics/session/judge-session.ts";
import type { SessionRows, SessionTrace } from "../../store/sessions/rows.ts";
import type { IncarnationCheck } from "../../store/traces/incarnation-check.ts";
import type { SignalScores } from "../../store/scores/signals/signals.ts";
import type { TraceReader } from "../../store/traces/reader.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import { createTraceCache, sessionSignals } from "./session-signals.ts";
import { judgedPair, unscoredPair } from "./settled-pairs.ts";
import { aggregateSession } from "./aggregate-session.ts";
import { judgeCustomSession } from "./judge-custom-session.ts";
import {
  metricOf,
  targetId,
  unsettledPairs,
  type Scorer,
  type TargetEvaluator,
  type SliceTarget,
  type TargetWork,
} from "./target-work.ts";

/** Milliseconds after the creation of a run that the session index may lag: for sessions with matched traces, and for others. */
const lagMilliseconds = { matched: 60_000, unmatched: 5_000 } as const;

/** Pause before a session with missing traces is read again. */
const recheckMilliseconds = 5_000;

/**
 * Returns a predicate: true if a run may reuse a stored signal by its model. A run that names a model reuses signals of that
 * model only. Signals from comparisons need no judge model, but offline and real ones are not mixed.
 */
export const signalModelFilter = ({ model: requestedModel, resolvedModel }: RunOrder) => {
  const runModel = fullModelName(resolvedModel);
  return (signal: SignalName, model: string | null): boolean => {
    if (model === null) return requestedModel === null;
    return judgedCatalogue[signal].method === "compare"
      ? isOfflineModel(model) === isOfflineModel(runModel)
      : requestedModel === null || model === runModel;
  };
};

/** Signals by trace id. */
type SignalsOfTraces = ReadonlyMap<string, readonly SessionSignal[]>;

/** Session content that a score rests on. */
interface ScoreBasis {
  /** Version of the session, see `sessionVersion`. */
  readonly version: string;
  /** Returns the signals that a judgement rests on. */
  readonly signalsOf: (judgement: Judgement) => SessionSignal[];
}

/** Returns a row with the trace version that its signals were computed from; null if the trace is no longer in the session. */
const rowAsJudged = (row: SessionTrace, signals: readonly SessionSignal[] | undefined): SessionTrace | null => {
  if (signals === undefined) return null;
  const versions = signals.flatMap(({ source, trace_version: version }) =>
    source === "ANNOTATION" || version === null ? [] : [version],
  );
  return { ...row, contentVersion: Math.min(row.contentVersion, ...versions) };
};

const valuesOf = (signals: readonly SessionSignal[]): SessionSignals =>
  Object.fromEntries(signals.map(({ name, value }) => [name, value]));

/** Returns the signals of the traces that are listed in the metadata of a judgement; a long session has more traces. */
const shownSignals = ({ metadata }: Judgement, signals: SignalsOfTraces): SessionSignal[] => {
  const { per_trace_signals: perTraceSignals } = metadata;
  return isObject(perTraceSignals) ? Object.keys(perTraceSignals).flatMap((trace) => signals.get(trace) ?? []) : [];
};

/** Returns the latest expiry of some traces, epoch seconds; null if one of them never expires. */
const latestExpiry = (rows: readonly IncarnationCheck[]): number | null =>
  rows.reduce<number | null>(
    (latest, { expiresAt }) => (latest === null || expiresAt === null ? null : Math.max(latest, expiresAt)),
    0,
  );

export interface SessionDependencies {
  readonly judge: Judge;
  readonly traces: Pick<TraceReader, "get" | "readSmall">;
  readonly sessions: SessionRows;
  readonly scores: SignalScores;
  /** Finds a version of a custom metric. */
  readonly findCustomMetric: FindCustomMetric;
  readonly now: () => number;
}

/** Creates the evaluator of sessions. Signals of their traces are reused or computed and stored; built-in metrics are calculated from signals. */
export const sessionTargets = ({
  judge,
  traces,
  sessions,
  scores,
  findCustomMetric,
  now,
}: SessionDependencies): TargetEvaluator => {
  const scorerOf =
    (
      { order }: Pick<SliceTarget, "order">,
      session: string,
      incarnationCheck: IncarnationCheck,
      judged: ScoreBasis | null = null,
    ): Scorer =>
    (metric, judgement) => ({
      score: automatedSessionScore(
        { projectId: order.projectId, runId: order.id, target: session, metric },
        judgement,
        judged && { version: judged.version, signals: judged.signalsOf(judgement) },
        instantAt(now()),
      ),
      check: incarnationCheck,
    });

  /** Returns a factory of scorers for the current traces of a session; null, after settling the pairs as missing, if it has no traces. */
  const currentScorer = (
    work: TargetWork,
    pairs: readonly number[],
    rows: readonly SessionTrace[],
  ): ((signals: readonly SessionSignal[]) => Scorer) | null => {
    const last = rows.at(-1);
    const version = sessionVersion(rows);
    if (last === undefined || version === null) {
      for (const pair of pairs) work.settle(unscoredPair(pair, null));
      return null;
    }
    const incarnationCheck = { ...last, expiresAt: latestExpiry(rows) };
    return (signals) => scorerOf(work, targetId(work), incarnationCheck, { version, signalsOf: () => [...signals] });
  };

  /** Instant at which to read a session again, epoch milliseconds, because traces may be missing in the index; null if it is complete. */
  const recheckAt = ({ order, slice, target }: SliceTarget, traceCount: number): number | null => {
    const matchedTraces = slice.traces[target] ?? 0;
    const indexCompleteAt = epochOf(order.createdAt) + lagMilliseconds[matchedTraces > 0 ? "matched" : "unmatched"];
    return traceCount < Math.max(1, matchedTraces) && now() < indexCompleteAt
      ? Math.min(indexCompleteAt, now() + recheckMilliseconds)
      : null;
  };

  /** Settles built-in metrics of a session. @returns the signals by trace; null if some could not be computed now. */
  const scoreBuiltIn = async (
    work: TargetWork,
    pairs: readonly number[],
    rows: readonly SessionTrace[],
  ): Promise<SignalsOfTraces | null> => {
    const { order } = work;
    const session = targetId(work);
    const signals = new Map<string, readonly SessionSignal[]>(rows.map(({ traceId }) => [traceId, []]));
    const reader = {
      projectId: order.projectId,
      runId: order.id,
      acceptsModel: signalModelFilter(order),
    };
    const traceCache = createTraceCache(traces, order.projectId);
    const completions = await mapConcurrently(rows.entries(), 20, async ([index, row]) => {
      if (!work.canStart()) return false;
      const existingSignals = await scores.of(reader, row, signalNames);
      const result = await sessionSignals({
        work,
        unsettled: pairs,
        session,
        rows,
        index,
        existingSignals,
        traceCache,
        judge,
        now,
      });
      if (result.kind === "gone") signals.delete(row.traceId);
      else signals.set(row.traceId, result.signals);
      return result.kind === "gone" || result.complete;
    });
    if (completions.includes(false)) return null;
    const last = rows.at(-1);
    if (last === undefined || signals.size === 0) {
      for (const pair of pairs) work.settle(unscoredPair(pair, null));
      return signals;
    }
    const version = sessionVersion(rows.flatMap((row) => rowAsJudged(row, signals.get(row.traceId)) ?? []));
    const incarnationCheck = { ...last, expiresAt: latestExpiry(rows) };
    const signalsOf = (judgement: Judgement) => shownSignals(judgement, signals);
    const scorer = scorerOf(work, session, incarnationCheck, version === null ? null : { version, signalsOf });
    const values = new Map([...signals].map(([trace, traceSignals]) => [trace, valuesOf(traceSignals)]));
    const weights: SignalWeights = weightsWith(order.signalWeights);
    for (const pair of pairs) {
      const metric = metricOf(work, pair);
      const judgement = judgeSession(metric, values, weights);
      work.settle(judgedPair(pair, judgement, scorer(metric, judgement)));
    }
    return signals;
  };

  /** Groups pairs by the kind of their metric: built-in, judged custom metric, or aggregate metric. */
  const groupPairs = async (work: TargetWork, pairs: readonly number[]) => {
    const [builtIn, judged, aggregates]: [number[], number[], (readonly [number, AggregateMetric])[]] = [[], [], []];
    for (const pair of pairs) {
      const metric = metricOf(work, pair);
      if (metricReference(metric).version === null) {
        builtIn.push(pair);
        continue;
      }
      const customMetric = await findCustomMetric(work.order.projectId, metric);
      if (customMetric?.method === "fold") aggregates.push([pair, customMetric]);
      else judged.push(pair);
    }
    return { builtIn, judged, aggregates };
  };

  return {
    // A session takes many judge calls.
    maxConcurrentTargets: 1,

    scorer: async (sliceTarget) => {
      const session = targetId(sliceTarget);
      const incarnationCheck = await sessions.incarnationCheck(sliceTarget.order.projectId, session);
      return incarnationCheck === null ? null : scorerOf(sliceTarget, session, incarnationCheck);
    },

    evaluate: async (work) => {
      const unsettled = unsettledPairs(work);
      if (unsettled.length === 0 || !work.canStart()) return;
      const rows = await sessions.list(work.order.projectId, targetId(work));
      const retryAt = recheckAt(work, rows.length);
      if (retryAt !== null) return work.postpone(retryAt);

      const { builtIn, judged, aggregates } = await groupPairs(work, unsettled);
      const scorer = judged.length === 0 ? null : currentScorer(work, judged, rows);
      if (scorer !== null) await judgeCustomSession(work, judged, rows, { judge, traces }, scorer([]));
      const computed = builtIn.length === 0 ? new Map<string, never>() : await scoreBuiltIn(work, builtIn, rows);
      // Aggregates also use the signals that this run has just computed.
      if (computed === null || aggregates.length === 0) return;
      const pairs = aggregates.map(([pair]) => pair);
      const scorerWith = currentScorer(work, pairs, rows);
      if (scorerWith !== null) await aggregateSession({ work, aggregates, rows, scores, computed, scorerWith });
    },
  };
};
