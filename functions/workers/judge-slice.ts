import { required, requiredNumber, variables } from "../../lib/environment.ts";
import { sliceEvaluation } from "../../lib/evaluation/evaluate-slice.ts";
import { sessionTargets } from "../../lib/evaluation/session-targets.ts";
import { traceTargets } from "../../lib/evaluation/trace-targets.ts";
import { deployedJudge } from "../../lib/judge/deployed-judge.ts";
import { dearestPair } from "../../lib/judge/estimate.ts";
import { monthlyCeilings } from "../../lib/judge/prices/ceilings.ts";
import { ownPrices } from "../../lib/judge/prices/own-prices.ts";
import { priceOf } from "../../lib/judge/prices/price-list.ts";
import { judgedMetrics } from "../../lib/metrics/trace/catalogue.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { sliceWorker } from "../../lib/queue/slice-worker.ts";
import { connect } from "../../lib/store/database.ts";
import { runStore } from "../../lib/store/runs.ts";
import { sessionRows } from "../../lib/store/session-rows.ts";
import { settlement } from "../../lib/store/settlement.ts";
import { signalScores } from "../../lib/store/signal-scores.ts";
import { sliceStore } from "../../lib/store/slices.ts";
import { spendStore } from "../../lib/store/spend.ts";
import { traceReader } from "../../lib/store/trace-reader.ts";

const database = connect();
const [runs, sessions, traces] = [runStore(database), sessionRows(database), traceReader(database)];
const [judge, prices] = [deployedJudge(), ownPrices()];

const evaluate = sliceEvaluation({
  runs,
  slices: sliceStore(database),
  settlement: settlement(database, { runs, sessions }),
  targets: {
    TRACE: traceTargets(judge, traces, Date.now),
    SESSION: sessionTargets({ judge, traces, sessions, scores: signalScores(database), now: Date.now }),
  },
  judge,
  spending: {
    spend: spendStore(database),
    priceOf: (model) => priceOf(model, prices),
    leastOf: (price) => dearestPair(judgedMetrics, price),
    ceilings: monthlyCeilings(),
  },
  calls: requiredNumber(variables.judgeCalls),
  now: Date.now,
});

export const handler = sliceWorker(evaluate, judgeQueue(required(variables.judgeQueueUrl)));
