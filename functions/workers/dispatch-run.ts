import type { DynamoDBStreamEvent } from "aws-lambda";
import { required, variables } from "../../lib/wiring/environment.ts";
import { dispatch } from "../../lib/evaluation/start/dispatch.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { connect } from "../../lib/store/database.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { runOfRecord } from "../../lib/stream/run-of-record.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const runs = runStore(connect());
const queue = judgeQueue(required(variables.judgeQueueUrl));

export const handler = withStreamLag("dispatch-run", async (event: DynamoDBStreamEvent): Promise<void> => {
  for (const record of event.Records) {
    const { project, run } = runOfRecord(record);
    const stored = await runs.read(project, run);
    if (stored?.run.status === "PENDING") await dispatch(stored, runs, queue);
  }
});
