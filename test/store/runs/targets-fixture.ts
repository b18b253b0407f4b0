import { sessionTargets } from "../../../lib/evaluation/slices/session-targets.ts";
import type { TargetEvaluators } from "../../../lib/evaluation/slices/target-work.ts";
import { traceTargets } from "../../../lib/evaluation/slices/trace-targets.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { FindCustomMetric } from "../../../lib/judge/target-judge.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";

/** The target evaluators of a worker on a database connection. @param findCustomMetric finds the projects' custom metrics; none by default. */
export const targetsOf = (
  database: Database,
  judge: Judge,
  now: () => number,
  findCustomMetric: FindCustomMetric = async () => null,
): TargetEvaluators => {
  const [traces, sessions] = [traceReader(database, now), sessionRows(database, now)];
  return {
    TRACE: traceTargets(judge, traces, now),
    SESSION: sessionTargets({ judge, traces, sessions, scores: signalScores(database), findCustomMetric, now }),
  };
};
