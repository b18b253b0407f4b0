import { required, requiredNumber, variables } from "../../lib/environment.ts";
import { sliceEvaluation } from "../../lib/evaluation/evaluate-slice.ts";
import { deployedJudge } from "../../lib/judge/deployed-judge.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { sliceWorker } from "../../lib/queue/slice-worker.ts";
import { connect } from "../../lib/store/database.ts";
import { runStore } from "../../lib/store/runs.ts";
import { settlement } from "../../lib/store/settlement.ts";
import { sliceStore } from "../../lib/store/slices.ts";
import { traceReader } from "../../lib/store/trace-reader.ts";

const database = connect();
const runs = runStore(database);

const evaluate = sliceEvaluation({
  runs,
  slices: sliceStore(database),
  settlement: settlement(database, runs),
  traces: traceReader(database),
  judge: deployedJudge(),
  calls: requiredNumber(variables.judgeCalls),
  now: Date.now,
});

export const handler = sliceWorker(evaluate, judgeQueue(required(variables.judgeQueueUrl)));
