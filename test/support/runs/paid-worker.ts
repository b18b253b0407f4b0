import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { settlement } from "../../../lib/store/runs/settlement.ts";
import { signalScores } from "../../../lib/store/scores/signals/signals.ts";
import { sessionTargets } from "../../../lib/evaluation/slices/session-targets.ts";
import { fairTurnStore } from "../../../lib/store/runs/fair-turns.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { fairShareTurns } from "../../../lib/evaluation/slices/fair-share-turns.ts";
import { traceTargets } from "../../../lib/evaluation/slices/trace-targets.ts";
import type { FaultyDatabase } from "../faults/faults.ts";
import { paidVerdict } from "./paid-verdict.ts";
import { pausePoint } from "../service/pause-point.ts";
import type { Ceilings } from "../../../lib/domain/runs/budget.ts";
import type { RunOrder } from "../../../lib/domain/runs/run.ts";

/** US dollars: cost of an answer, reservation per answer, and monthly ceilings of the deployment and a project. */
const dollars = { answer: 0.25, least: 0.38, organization: null, deployment: 100_000, project: 50_000 };

/** A judge worker on a slice whose judge answers some questions at once and the others after the worker is resumed. */
export interface PaidWorker {
  readonly project: string;
  readonly database: FaultyDatabase;
  /** Resolves when the worker waits for its judge or has finished. */
  readonly busy: Promise<void>;
  goOn(): void;
  /** Resolves when the worker has finished, successfully or not. */
  readonly end: Promise<void>;
  /** US dollars of all answers. */
  readonly billed: () => number;
  /** US dollars of the answers whose commit was acknowledged. */
  readonly committed: () => number;
  /** US dollars that the worker has at most spent and reserved: what it last requested. */
  readonly requested: () => number;
  /** Times that the worker recorded the bound of its calls, as it does without a ceiling. */
  readonly recorded: () => number;
}

const functionMilliseconds = 180_000;

/** @param answers number of questions that the judge answers at once. @param ceilings monthly ceilings. */
export const paidWorker = (
  database: FaultyDatabase,
  { projectId, id }: RunOrder,
  slice: string,
  answers: number,
  now: () => number,
  ceilings: Omit<Ceilings, "run"> = dollars,
): PaidWorker => {
  const pause = pausePoint();
  let [questions, billed, committed, requested, recorded] = [0, 0, 0, 0, 0];
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: () => ({
      score: (_metric, _deadline, budget) =>
        paidVerdict(budget, dollars.least, async () => {
          questions += 1;
          if (questions > answers) await pause.pass();
          billed += dollars.answer;
          const metadata = { attempts: 1, tokens: { prompt: 9, completion: 1, cached: 0 }, cost_usd: dollars.answer };
          return { kind: "scored", value: 0.5, reason: "Half.", metadata };
        }),
    }),
  };
  const spend = spendStore(database, now);
  const [runs, sessions, traces] = [runStore(database, now), sessionRows(database, now), traceReader(database, now)];
  const settling = settlement(database, { runs, sessions }, now);
  const evaluate = sliceEvaluation({
    runs,
    slices: sliceStore(database, now),
    settlement: {
      commit: async (storedSlice, metrics, settled) => {
        const after = await settling.commit(storedSlice, metrics, settled);
        for (const { usage } of settled) committed += usage.cost ?? 0;
        return after;
      },
    },
    runInTurn: fairShareTurns({ turns: fairTurnStore(database, { now }), runs, now }),
    targets: {
      TRACE: traceTargets(judge, traces, now),
      SESSION: sessionTargets({
        judge,
        traces,
        sessions,
        scores: signalScores(database),
        findCustomMetric: async () => null,
        now,
      }),
    },
    judge,
    spending: {
      spend: {
        ...spend,
        reserve: async (reservation) => {
          requested = reservation.spent + reservation.maxUsd;
          return spend.reserve(reservation);
        },
        recordCalls: async (...call) => {
          const isRecorded = await spend.recordCalls(...call);
          recorded += 1;
          return isRecorded;
        },
      },
      priceOf: () => ({ input: 1, cached: 1, output: 1, written: 1 }),
      ceilings: { project: ceilings.project, organization: null, deployment: ceilings.deployment },
      organizationOf: async () => null,
    },
    calls: 3,
    now,
  });
  const ignore = (): void => undefined;
  const completion = evaluate({ project: projectId, run: id, slice }, now() + functionMilliseconds).then(
    ignore,
    ignore,
  );
  return {
    project: projectId,
    database,
    busy: Promise.race([pause.reached, completion]),
    goOn: pause.open,
    end: completion,
    billed: () => billed,
    committed: () => committed,
    requested: () => requested,
    recorded: () => recorded,
  };
};
