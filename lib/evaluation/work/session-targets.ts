import { automatedSessionScore } from "../../domain/scores/automated-score.ts";
import { epochOf, instantAt } from "../../domain/instant.ts";
import { signalNames, weightsWith, type SessionSignals, type SignalWeights } from "../../domain/scores/signals.ts";
import type { Judge } from "../../judge/judge.ts";
import { sessionVersion } from "../../domain/scores/session-version.ts";
import { judgeSession } from "../../metrics/session/judge-session.ts";
import type { SessionRows } from "../../store/sessions/rows.ts";
import type { Witness } from "../../store/traces/witness.ts";
import type { SignalScores } from "../../store/scores/signals.ts";
import type { TraceReader } from "../../store/traces/reader.ts";
import { sideBySide } from "../../async/side-by-side.ts";
import { recentTraces, sessionSignals } from "./session-signals.ts";
import { judgedPair, unscoredPair } from "./settled-pairs.ts";
import { metricOf, targetId, unsettledPairs, type Scorer, type TargetKind, type TargetPlace } from "./target-work.ts";

/** How long after a run's creation the index of sessions may lag: behind traces that were seen then, and behind others. */
const lagMilliseconds = { seen: 60_000, unseen: 5_000 } as const;

/** Pause before it is looked at again. */
const lookMilliseconds = 5_000;

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
  readonly now: () => number;
}

/** Sessions as targets: their traces' signals are reused or computed and stored, the metrics are arithmetic over them. */
export const sessionTargets = ({ judge, traces, sessions, scores, now }: SessionParts): TargetKind => {
  const scorerOf =
    ({ order }: Pick<TargetPlace, "order">, session: string, witness: Witness, version: string | null = null): Scorer =>
    (metric, judgement) => ({
      score: automatedSessionScore(
        { projectId: order.projectId, runId: order.id, target: session, metric },
        judgement,
        version,
        instantAt(now()),
      ),
      witness,
    });

  /** When to look again for traces that may not be in the index yet; null: it has all there are. */
  const tooEarly = ({ order, slice, target }: TargetPlace, found: number): number | null => {
    const seen = slice.traces[target] ?? 0;
    const sure = epochOf(order.createdAt) + lagMilliseconds[seen > 0 ? "seen" : "unseen"];
    return found < Math.max(1, seen) && now() < sure ? Math.min(sure, now() + lookMilliseconds) : null;
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
      const { order } = work;
      const session = targetId(work);
      const rows = await sessions.list(order.projectId, session);
      const later = tooEarly(work, rows.length);
      if (later !== null) return work.postpone(later);

      const signals = new Map<string, SessionSignals>(rows.map(({ traceId }) => [traceId, {}]));
      const recent = recentTraces(traces, order.projectId);
      const found = await sideBySide(rows.entries(), 20, async ([index, row]) => {
        if (!work.mayStart()) return false;
        const known = await scores.of(order.projectId, order.id, row, signalNames);
        const mine = await sessionSignals({ work, unsettled, session, rows, index, known, recent, judge, now });
        if (mine.kind === "gone") signals.delete(row.traceId);
        else signals.set(row.traceId, mine.signals);
        return mine.kind === "gone" || mine.complete;
      });
      if (found.includes(false)) return;
      const last = rows.at(-1);
      if (last === undefined || signals.size === 0) {
        for (const pair of unsettled) work.settle(unscoredPair(pair, null));
        return;
      }
      const judged = rows.filter(({ traceId }) => signals.has(traceId));
      const scored = scorerOf(work, session, { ...last, expiresAt: latestExpiry(rows) }, sessionVersion(judged));
      const weights: SignalWeights = weightsWith(order.signalWeights);
      for (const pair of unsettled) {
        const metric = metricOf(work, pair);
        const judgement = judgeSession(metric, signals, weights);
        work.settle(judgedPair(pair, judgement, scored(metric, judgement)));
      }
    },
  };
};
