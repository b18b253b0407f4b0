import { required, variables } from "../../lib/environment.ts";
import { sweep } from "../../lib/evaluation/sweep.ts";
import { logLine } from "../../lib/log.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { connect } from "../../lib/store/database.ts";
import { openRunStore } from "../../lib/store/open-runs.ts";
import { runStore } from "../../lib/store/runs.ts";

const database = connect();
const [openRuns, runs] = [openRunStore(database), runStore(database)];
const queue = judgeQueue(required(variables.judgeQueueUrl));

export const handler = async (): Promise<void> => {
  logLine("swept", { ...(await sweep(openRuns, runs, queue)) });
};
