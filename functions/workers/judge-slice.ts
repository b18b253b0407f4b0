import { required, requiredNumber, variables } from "../../lib/wiring/environment.ts";
import { sliceEvaluation } from "../../lib/evaluation/slices/evaluate-slice.ts";
import { judgingModels } from "../../lib/evaluation/slices/judge-slice.ts";
import { sessionTargets } from "../../lib/evaluation/slices/session-targets.ts";
import { fairShareTurns } from "../../lib/evaluation/slices/fair-share-turns.ts";
import { traceTargets } from "../../lib/evaluation/slices/trace-targets.ts";
import { customMetricFinder } from "../../lib/wiring/judging-custom-metrics.ts";
import { deployedJudge } from "../../lib/wiring/judge.ts";
import { monthlyCeilings } from "../../lib/wiring/ceilings.ts";
import { operatorPrices } from "../../lib/wiring/prices.ts";
import { priceOf } from "../../lib/prices/judge-prices.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { judgeReport } from "../../lib/evaluation/slices/judge-report.ts";
import { publishCeilingUsage } from "../../lib/evaluation/slices/ceiling-usage.ts";
import { thresholdEvent } from "../../lib/evaluation/slices/threshold-event.ts";
import { withQueueLag } from "../../lib/queue/queue-lag.ts";
import { sliceWorker } from "../../lib/evaluation/slice-worker.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { expectedOutputOf } from "../../lib/store/datasets/expected-output.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { organizationOfLivingProject } from "../../lib/store/access/existing-projects.ts";
import { organizationsOfProjects } from "../../lib/store/access/organizations-of-projects.ts";
import { sessionRows } from "../../lib/store/sessions/rows.ts";
import { settlement } from "../../lib/store/runs/settlement.ts";
import { signalScores } from "../../lib/store/scores/signals/signals.ts";
import { fairTurnStore } from "../../lib/store/runs/fair-turns.ts";
import { sliceStore } from "../../lib/store/runs/slices.ts";
import { spendStore } from "../../lib/store/spend/spend.ts";
import { traceReader } from "../../lib/store/traces/reader.ts";

const database = connect();
const [runs, sessions, traces] = [runStore(database), sessionRows(database), traceReader(database)];
const livingOrganization = organizationOfLivingProject(database);
const report = judgeReport();
const customMetrics = customMetricFinder(database);
const [judge, prices] = [report.watched(deployedJudge(customMetrics, expectedOutputOf(database))), operatorPrices()];

const evaluate = sliceEvaluation({
  runs,
  slices: sliceStore(database),
  projectExists: async (project) => (await livingOrganization(project)) !== null,
  settlement: settlement(database, { runs, sessions }),
  runInTurn: fairShareTurns({ turns: fairTurnStore(database), runs, now: Date.now }),
  targets: {
    TRACE: traceTargets(judge, traces, Date.now),
    SESSION: sessionTargets({
      judge,
      traces,
      sessions,
      scores: signalScores(database),
      findCustomMetric: customMetrics,
      now: Date.now,
    }),
  },
  judge,
  judgingModels: judgingModels(customMetrics),
  spending: {
    spend: spendStore(database, Date.now, Math.random, publishCeilingUsage, thresholdEvent),
    priceOf: (model) => priceOf(model, prices),
    ceilings: monthlyCeilings(),
    organizationOf: organizationsOfProjects(database),
  },
  calls: requiredNumber(variables.judgeCalls),
  now: Date.now,
});

/** Judges slices of eval runs from the judge queue. */
export const handler = withQueueLag(
  "judge-slice",
  "waited",
  report.published(sliceWorker(evaluate, judgeQueue(required(variables.judgeQueueUrl)))),
);
