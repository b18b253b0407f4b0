import { sessionTargets } from "../../../lib/evaluation/slices/session-targets.ts";
import type { TargetKinds } from "../../../lib/evaluation/slices/target-work.ts";
import { traceTargets } from "../../../lib/evaluation/slices/trace-targets.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { CustomMetricOf } from "../../../lib/judge/target-judge.ts";
import type { Database } from "../../../lib/store/database.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

/** What a worker evaluates, over a connection. @param own metrics of projects' own. */
export const targetsOf = (
  database: Database,
  judge: Judge,
  now: () => number,
  own: CustomMetricOf = async () => null,
): TargetKinds => {
  const [traces, sessions] = [traceReader(database, now), sessionRows(database, now)];
  return {
    TRACE: traceTargets(judge, traces, now),
    SESSION: sessionTargets({ judge, traces, sessions, scores: signalScores(database), own, now }),
  };
};
