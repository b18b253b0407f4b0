import { signalNames, weightsWith, type SessionSignals } from "../../../lib/domain/scores/signals.ts";
import { formatValue } from "../../../lib/domain/scores/score.ts";
import { judgeSession } from "../../../lib/metrics/session/judge-session.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import type { PlannedRun } from "./planned-run.ts";
import { checkScoreReasons, scoreIdsOf } from "../end-state.ts";
import type { TargetScore } from "./run-score-list.ts";
import type { JudgeCall } from "./scripted-judge.ts";
import type { Violations } from "../violations.ts";

/** Checks the signals of an ended run of sessions, and that its scores follow from them. */
export const checkSessions = async (
  database: Database,
  { order, sessions }: PlannedRun,
  scores: readonly TargetScore[],
  calls: readonly JudgeCall[],
  deliveries: (target: string) => number,
  violations: Violations,
): Promise<void> => {
  const { expect } = violations;
  const signals: TargetScore[] = [];
  for await (const score of runScores(database, traceScoreKind).indexed(order.projectId, order.id))
    signals.push({ ...score, target: score.trace_id });
  checkScoreReasons(
    signals.map((signal) => ({ ...signal, reason: signal.reason?.replace("Signal computation failed: ", "") ?? null })),
    calls,
    () => Number.POSITIVE_INFINITY,
    violations,
  );
  const valueOf = new Map(signals.map(({ target, name, value }) => [`${target} ${name}`, value]));
  expect(valueOf.size === signals.length, "I1: a signal of a trace was scored twice");
  for (const [session, traces] of sessions) {
    const signalsByTrace = new Map(
      traces.map((trace): [string, SessionSignals] => {
        const values = signalNames.map((name) => [name, valueOf.get(`${trace} ${name}`) ?? null] as const);
        return [
          trace,
          Object.fromEntries(values.flatMap(([name, value]) => (value === null ? [] : [[name, Number(value)]]))),
        ];
      }),
    );
    const sessionScores = scores.filter(({ target }) => target === session);
    const hasGivenUp = sessionScores.some(({ metadata }) => metadata["code"] === "internal");
    expect(!hasGivenUp || deliveries(session) > 5, "I14: a session was given up too early");
    for (const trace of traces) {
      const ids = await scoreIdsOf(database, order.projectId, "trace", trace);
      expect(new Set(ids).size === ids.length, "I1: a signal has two copies");
      if (!hasGivenUp) {
        expect(
          signalNames.every((name) => valueOf.has(`${trace} ${name}`)),
          "I2: a signal of a trace is not stored",
        );
      }
    }
    for (const score of sessionScores) {
      if (score.metadata["code"] === "internal") continue;
      const { value } = judgeSession(score.name, signalsByTrace, weightsWith(null));
      const expectedValue = value === null ? null : formatValue(value);
      expect(score.value === expectedValue, "I2: a session's score does not follow from its signals");
    }
  }
};
