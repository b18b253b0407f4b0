import { automatedScoreId } from "../../domain/scores/automated-score.ts";
import type { SessionSignal } from "../../domain/scores/score.ts";
import { sideBySide } from "../../async/side-by-side.ts";
import type { FoldedMetric } from "../../judge/folded-metric.ts";
import type { SignalScores } from "../../store/scores/signals/signals.ts";
import type { SessionTrace } from "../../store/sessions/rows.ts";
import { judgedPair } from "./settled-pairs.ts";
import { metricOf, type Scorer, type TargetPlace, type TargetWork } from "./target-work.ts";

/** Traces of a session that are looked at, the newest: each of their scores is told beside the session's. Scores of a trace. */
const [mostTraces, mostScores] = [100, 400];

/** Traces looked at side by side. */
const atOnce = 20;

/** What a fold is to be made of. */
export interface FoldedSession {
  readonly work: TargetPlace & Pick<TargetWork, "mayStart" | "settle">;
  /** Unsettled pairs and their metrics. */
  readonly folds: readonly (readonly [pair: number, metric: FoldedMetric])[];
  /** All traces of the session, oldest first. */
  readonly rows: readonly SessionTrace[];
  readonly scores: Pick<SignalScores, "among">;
  /** Signals of traces: those that the run has just computed nobody can read yet. */
  readonly computed: ReadonlyMap<string, readonly SessionSignal[]>;
  /** Makes the session's score, which rests on these. */
  readonly scored: (signals: readonly SessionSignal[]) => Scorer;
}

/**
 * Folds scores of a session's traces. Of each trace the newest usable one of the name counts, whoever made it: a fold asks no judge,
 * so the run's model says nothing of it. Nothing is settled where time runs out.
 */
export const foldSession = async ({ work, folds, rows, scores, computed, scored }: FoldedSession): Promise<void> => {
  const { order } = work;
  const reader = { projectId: order.projectId, runId: order.id, takes: () => true };
  const names = [...new Set(folds.map(([, { over }]) => over))];
  const looked = await sideBySide(rows.slice(-mostTraces), atOnce, async (row) => {
    if (!work.mayStart()) return null;
    const { known, whole } = await scores.among(reader, row, names, mostScores);
    const isOwn = ({ name, score_id: id }: SessionSignal): boolean =>
      id === automatedScoreId(order.id, row.traceId, name);
    const own = new Map((computed.get(row.traceId) ?? []).filter(isOwn).map((signal) => [signal.name, signal]));
    return { trace: row.traceId, whole, of: (name: string) => own.get(name) ?? known.get(name) ?? null };
  });
  const found = looked.flatMap((one) => one ?? []);
  if (found.length < looked.length) return;
  for (const [pair, metric] of folds) {
    const signals = found.map(({ of }) => of(metric.over));
    const judgement = metric.judgement({
      scores: new Map(found.map(({ trace }, place) => [trace, signals[place]?.value ?? null])),
      inSession: rows.length,
      partlyRead: found.filter(({ whole }, place) => !whole && signals[place] === null).length,
    });
    const score = scored(signals.flatMap((signal) => signal ?? []));
    work.settle(judgedPair(pair, judgement, score(metricOf(work, pair), judgement)));
  }
};
