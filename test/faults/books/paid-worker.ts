import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { settlement } from "../../../lib/store/runs/settlement.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { sessionTargets } from "../../../lib/evaluation/slices/session-targets.ts";
import { turnStore } from "../../../lib/store/runs/turns.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { inTurnOfProjects } from "../../../lib/evaluation/slices/turns.ts";
import { traceTargets } from "../../../lib/evaluation/slices/trace-targets.ts";
import type { FaultyDatabase } from "../../support/faults/faults.ts";
import { paidFrom } from "../../support/runs/paid-from.ts";
import { gate } from "../../support/service/gate.ts";
import type { RunOrder } from "../../../lib/domain/runs/run.ts";

/** US dollars: what each answer costs, what is set aside for one, and what the deployment and a project may spend in a month. */
const dollars = { answer: 0.25, least: 0.38, organization: null, deployment: 100_000, project: 50_000 };

/** A worker at a slice, whose judge answers some questions at once and the others when it is let go on. */
export interface PaidWorker {
  readonly database: FaultyDatabase;
  /** Ends when it waits for its judge, or has ended. */
  readonly busy: Promise<void>;
  goOn(): void;
  /** Ends when it has ended, however it did. */
  readonly ended: Promise<void>;
}

const functionMilliseconds = 180_000;

/** @param answers how many questions are answered at once. */
export const paidWorker = (
  database: FaultyDatabase,
  { projectId, id }: RunOrder,
  slice: string,
  answers: number,
  now: () => number,
): PaidWorker => {
  const place = gate();
  let asked = 0;
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: () => ({
      score: (_metric, _deadline, purse) =>
        paidFrom(purse, dollars.least, async () => {
          asked += 1;
          if (asked > answers) await place.pass();
          const metadata = { attempts: 1, tokens: { prompt: 9, completion: 1, cached: 0 }, cost_usd: dollars.answer };
          return { kind: "scored", value: 0.5, reason: "Half.", metadata };
        }),
    }),
  };
  const [runs, sessions, traces] = [runStore(database, now), sessionRows(database, now), traceReader(database, now)];
  const evaluate = sliceEvaluation({
    runs,
    slices: sliceStore(database, now),
    settlement: settlement(database, { runs, sessions }, now),
    inTurn: inTurnOfProjects({ turns: turnStore(database, now), runs, now }),
    targets: {
      TRACE: traceTargets(judge, traces, now),
      SESSION: sessionTargets({ judge, traces, sessions, scores: signalScores(database), own: async () => null, now }),
    },
    judge,
    spending: {
      spend: spendStore(database, now),
      priceOf: () => ({ input: 1, cached: 1, output: 1, written: 1 }),
      ceilings: { project: dollars.project, organization: null, deployment: dollars.deployment },
      organizationOf: async () => null,
    },
    calls: 3,
    now,
  });
  const end = (): void => undefined;
  const ended = evaluate({ project: projectId, run: id, slice }, now() + functionMilliseconds).then(end, end);
  return { database, busy: Promise.race([place.reached, ended]), goOn: place.open, ended };
};
