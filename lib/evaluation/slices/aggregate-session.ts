import { automatedScoreId } from "../../domain/scores/automated-score.ts";
import type { SessionSignal } from "../../domain/scores/score.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import type { AggregateMetric } from "../../judge/verdict/computed-metrics.ts";
import type { SignalScores } from "../../store/scores/signals/signals.ts";
import type { SessionTrace } from "../../store/sessions/rows.ts";
import { judgedPair } from "./settled-pairs.ts";
import { metricOf, type Scorer, type SliceTarget, type TargetWork } from "./target-work.ts";

/** Traces of a session in an aggregate, at most; the newest are taken, because the session's score lists each of their scores. */
const maxTraces = 100;

/** Stored scores read for one trace of a session, at most. */
const maxScoresPerTrace = 400;

/** Traces whose scores are read concurrently. */
const concurrency = 20;

/** Input of an aggregation over the scores of the traces of one session. */
export interface AggregateSessionRequest {
  readonly work: SliceTarget & Pick<TargetWork, "canStart" | "settle">;
  /** Unsettled pairs and their aggregate metrics. */
  readonly aggregates: readonly (readonly [pair: number, metric: AggregateMetric])[];
  /** All traces of the session, oldest first. */
  readonly rows: readonly SessionTrace[];
  readonly scores: Pick<SignalScores, "amongNewest">;
  /** Signals that this run has just computed, by trace id: they may not be readable from the store yet. */
  readonly computed: ReadonlyMap<string, readonly SessionSignal[]>;
  /** Returns a scorer of the session for scores that rest on the passed signals. */
  readonly scorerWith: (signals: readonly SessionSignal[]) => Scorer;
}

/**
 * Settles aggregate metrics of a session from scores of its traces. For each trace the newest usable score of the name counts,
 * from any source or model. Settles no pair if the time runs out.
 */
export const aggregateSession = async ({
  work,
  aggregates,
  rows,
  scores,
  computed,
  scorerWith,
}: AggregateSessionRequest): Promise<void> => {
  const { order } = work;
  const reader = { projectId: order.projectId, runId: order.id, acceptsModel: () => true };
  const names = [...new Set(aggregates.map(([, { scoreName }]) => scoreName))];
  const traceResults = await mapConcurrently(rows.slice(-maxTraces), concurrency, async (row) => {
    if (!work.canStart()) return null;
    const { signals: storedSignals, isComplete } = await scores.amongNewest(reader, row, names, maxScoresPerTrace);
    const isOfRun = ({ name, score_id: id }: SessionSignal): boolean =>
      id === automatedScoreId(order.id, row.traceId, name);
    const computedSignals = new Map(
      (computed.get(row.traceId) ?? []).filter(isOfRun).map((signal) => [signal.name, signal]),
    );
    return {
      trace: row.traceId,
      isComplete,
      signalNamed: (name: string) => computedSignals.get(name) ?? storedSignals.get(name) ?? null,
    };
  });
  const traces = traceResults.flatMap((result) => result ?? []);
  if (traces.length < traceResults.length) return;
  for (const [pair, metric] of aggregates) {
    const signals = traces.map(({ signalNamed }) => signalNamed(metric.scoreName));
    const judgement = metric.judgement({
      scores: new Map(traces.map(({ trace }, place) => [trace, signals[place]?.value ?? null])),
      inSession: rows.length,
      partlyRead: traces.filter(({ isComplete }, place) => !isComplete && signals[place] === null).length,
    });
    const score = scorerWith(signals.flatMap((signal) => signal ?? []));
    work.settle(judgedPair(pair, judgement, score(metricOf(work, pair), judgement)));
  }
};
