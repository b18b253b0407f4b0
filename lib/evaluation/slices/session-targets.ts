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
import type { FoldedMetric } from "../../judge/folded-metric.ts";
import type { CustomMetricOf } from "../../judge/target-judge.ts";
import { isOffline } from "../../judge/verdict/verdict.ts";
import { modelId, resolveModel } from "../../domain/runs/model.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import { judgeSession } from "../../metrics/session/judge-session.ts";
import type { SessionRows, SessionTrace } from "../../store/sessions/rows.ts";
import type { Witness } from "../../store/traces/witness.ts";
import type { SignalScores } from "../../store/scores/signals/signals.ts";
import type { TraceReader } from "../../store/traces/reader.ts";
import { sideBySide } from "../../async/side-by-side.ts";
import { recentTraces, sessionSignals } from "./session-signals.ts";
import { judgedPair, unscoredPair } from "./settled-pairs.ts";
import { foldSession } from "./folded-session.ts";
import { judgeCustomSession } from "./custom-session.ts";
import {
  metricOf,
  targetId,
  unsettledPairs,
  type Scorer,
  type TargetKind,
  type TargetPlace,
  type TargetWork,
} from "./target-work.ts";

/** How long after a run's creation the index of sessions may lag: behind traces that were seen then, and behind others. */
const lagMilliseconds = { seen: 60_000, unseen: 5_000 } as const;

/** Pause before it is looked at again. */
const lookMilliseconds = 5_000;

/**
 * Which verdicts a run takes for its own. One that names a model takes that one's; what is compared asks no judge, but a word
 * count never stands beside a real one.
 */
export const takenBy = ({ model: named, resolvedModel }: RunOrder) => {
  const resolved = resolveModel(resolvedModel);
  const own = resolved === null ? resolvedModel : modelId(resolved);
  return (signal: SignalName, model: string | null): boolean => {
    if (model === null) return named === null;
    return judgedCatalogue[signal].method === "compare"
      ? isOffline(model) === isOffline(own)
      : named === null || model === own;
  };
};

/** Signals by trace. */
type SignalsOfTraces = ReadonlyMap<string, readonly SessionSignal[]>;

/** What was judged of a session. */
interface JudgedTraces {
  /** See `sessionVersion`. */
  readonly version: string;
  /** That a judgement rests on. */
  readonly signalsOf: (judgement: Judgement) => SessionSignal[];
}

/** A row as its signals saw it: older, where it has changed since the run judged it. Null: it is none of the session's. */
const judgedRow = (row: SessionTrace, signals: readonly SessionSignal[] | undefined): SessionTrace | null => {
  if (signals === undefined) return null;
  const versions = signals.flatMap(({ source, trace_version: version }) =>
    source === "ANNOTATION" || version === null ? [] : [version],
  );
  return { ...row, contentVersion: Math.min(row.contentVersion, ...versions) };
};

const valuesOf = (signals: readonly SessionSignal[]): SessionSignals =>
  Object.fromEntries(signals.map(({ name, value }) => [name, value]));

/** The signals of the traces that a judgement's metadata show: of a long session not all. */
const shownSignals = ({ metadata }: Judgement, signals: SignalsOfTraces): SessionSignal[] => {
  const { per_trace_signals: shown } = metadata;
  return isObject(shown) ? Object.keys(shown).flatMap((trace) => signals.get(trace) ?? []) : [];
};

/** When the trace that is kept longest expires; null when one is kept. */
const latestExpiry = (rows: readonly Witness[]): number | null =>
  rows.reduce<number | null>(
    (latest, { expiresAt }) => (latest === null || expiresAt === null ? null : Math.max(latest, expiresAt)),
    0,
  );

export interface SessionParts {
  readonly judge: Judge;
  readonly traces: Pick<TraceReader, "get" | "readSmall">;
  readonly sessions: SessionRows;
  readonly scores: SignalScores;
  /** Metrics of projects' own. */
  readonly own: CustomMetricOf;
  readonly now: () => number;
}

/** Sessions as targets: their traces' signals are reused or computed and stored, the metrics are arithmetic over them. */
export const sessionTargets = ({ judge, traces, sessions, scores, own, now }: SessionParts): TargetKind => {
  const scorerOf =
    (
      { order }: Pick<TargetPlace, "order">,
      session: string,
      witness: Witness,
      judged: JudgedTraces | null = null,
    ): Scorer =>
    (metric, judgement) => ({
      score: automatedSessionScore(
        { projectId: order.projectId, runId: order.id, target: session, metric },
        judgement,
        judged && { version: judged.version, signals: judged.signalsOf(judgement) },
        instantAt(now()),
      ),
      witness,
    });

  /** Makes scores of a session as its traces are now, resting on signals; null: it has no traces, and no pair gets one. */
  const presentScorer = (
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
    const witness = { ...last, expiresAt: latestExpiry(rows) };
    return (signals) => scorerOf(work, targetId(work), witness, { version, signalsOf: () => [...signals] });
  };

  /** When to look again for traces that may not be in the index yet; null: it has all there are. */
  const tooEarly = ({ order, slice, target }: TargetPlace, found: number): number | null => {
    const seen = slice.traces[target] ?? 0;
    const sure = epochOf(order.createdAt) + lagMilliseconds[seen > 0 ? "seen" : "unseen"];
    return found < Math.max(1, seen) && now() < sure ? Math.min(sure, now() + lookMilliseconds) : null;
  };

  /** Metrics that every project has. @returns the signals that they rest on; null: not all of them could be computed now. */
  const reckon = async (
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
      takes: takenBy(order),
    };
    const recent = recentTraces(traces, order.projectId);
    const found = await sideBySide(rows.entries(), 20, async ([index, row]) => {
      if (!work.mayStart()) return false;
      const known = await scores.of(reader, row, signalNames);
      const mine = await sessionSignals({
        work,
        unsettled: pairs,
        session,
        rows,
        index,
        known,
        recent,
        judge,
        now,
      });
      if (mine.kind === "gone") signals.delete(row.traceId);
      else signals.set(row.traceId, mine.signals);
      return mine.kind === "gone" || mine.complete;
    });
    if (found.includes(false)) return null;
    const last = rows.at(-1);
    if (last === undefined || signals.size === 0) {
      for (const pair of pairs) work.settle(unscoredPair(pair, null));
      return signals;
    }
    const version = sessionVersion(rows.flatMap((row) => judgedRow(row, signals.get(row.traceId)) ?? []));
    const witness = { ...last, expiresAt: latestExpiry(rows) };
    const signalsOf = (judgement: Judgement) => shownSignals(judgement, signals);
    const scored = scorerOf(work, session, witness, version === null ? null : { version, signalsOf });
    const values = new Map([...signals].map(([trace, own]) => [trace, valuesOf(own)]));
    const weights: SignalWeights = weightsWith(order.signalWeights);
    for (const pair of pairs) {
      const metric = metricOf(work, pair);
      const judgement = judgeSession(metric, values, weights);
      work.settle(judgedPair(pair, judgement, scored(metric, judgement)));
    }
    return signals;
  };

  /** Pairs by how their metrics come to a score. */
  const sorted = async (work: TargetWork, pairs: readonly number[]) => {
    const [reckoned, judged, folds]: [number[], number[], (readonly [number, FoldedMetric])[]] = [[], [], []];
    for (const pair of pairs) {
      const metric = metricOf(work, pair);
      if (metricReference(metric).version === null) {
        reckoned.push(pair);
        continue;
      }
      const found = await own(work.order.projectId, metric);
      if (found?.method === "fold") folds.push([pair, found]);
      else judged.push(pair);
    }
    return { reckoned, judged, folds };
  };

  return {
    // A session is many judgements by itself.
    lanes: 1,

    scorer: async (place) => {
      const session = targetId(place);
      const witness = await sessions.witness(place.order.projectId, session);
      return witness === null ? null : scorerOf(place, session, witness);
    },

    evaluate: async (work) => {
      const unsettled = unsettledPairs(work);
      if (unsettled.length === 0 || !work.mayStart()) return;
      const rows = await sessions.list(work.order.projectId, targetId(work));
      const later = tooEarly(work, rows.length);
      if (later !== null) return work.postpone(later);

      const { reckoned, judged, folds } = await sorted(work, unsettled);
      const scored = judged.length === 0 ? null : presentScorer(work, judged, rows);
      if (scored !== null) await judgeCustomSession(work, judged, rows, { judge, traces }, scored([]));
      const computed = reckoned.length === 0 ? new Map<string, never>() : await reckon(work, reckoned, rows);
      // What the run computes of traces is folded with the rest of what they have.
      if (computed === null || folds.length === 0) return;
      const pairs = folds.map(([pair]) => pair);
      const made = presentScorer(work, pairs, rows);
      if (made !== null) await foldSession({ work, folds, rows, scores, computed, scored: made });
    },
  };
};
