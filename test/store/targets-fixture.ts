import { sessionTargets } from "../../lib/evaluation/session-targets.ts";
import type { TargetKinds } from "../../lib/evaluation/target-kinds.ts";
import { traceTargets } from "../../lib/evaluation/trace-targets.ts";
import type { Judge } from "../../lib/judge/judge.ts";
import type { Database } from "../../lib/store/database.ts";
import { sessionRows } from "../../lib/store/session-rows.ts";
import { signalScores } from "../../lib/store/signal-scores.ts";
import { traceReader } from "../../lib/store/trace-reader.ts";

/** What a worker evaluates, over a connection. */
export const targetsOf = (database: Database, judge: Judge, now: () => number): TargetKinds => {
  const [traces, sessions] = [traceReader(database, now), sessionRows(database, now)];
  return {
    TRACE: traceTargets(judge, traces, now),
    SESSION: sessionTargets({ judge, traces, sessions, scores: signalScores(database), now }),
  };
};
