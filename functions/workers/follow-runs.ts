import { required, variables } from "../../lib/wiring/environment.ts";
import { dispatch } from "../../lib/evaluation/start/dispatch.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { livingProjects } from "../../lib/store/access/living-projects.ts";
import { counterStore } from "../../lib/store/counters.ts";
import { connect } from "../../lib/store/database.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { runWindow } from "../../lib/stream/run-window.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const database = connect();
const runs = runStore(database);
const queue = judgeQueue(required(variables.judgeQueueUrl));

const start = async (project: string, run: string): Promise<void> => {
  const stored = await runs.read(project, run);
  if (stored?.run.status === "PENDING") await dispatch(stored, runs, queue);
};

export const handler = withStreamLag("follow-runs", runWindow(start, counterStore(database), livingProjects(database)));
