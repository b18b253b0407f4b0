import type { DynamoDBStreamEvent } from "aws-lambda";
import { runPurge } from "../../lib/evaluation/maintenance/purge-run.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { runDeletion } from "../../lib/store/runs/deletion.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { runOfRecord } from "../../lib/stream/run-window.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const database = connect();
const deletion = runDeletion(database, runStore(database));
const purge = runPurge({ deletion, scores: scoreRemoval(database), now: Date.now });

/** Time budget of one batch within the worker's timeout of 60 s. The sweeper purges the remaining runs. */
const batchMilliseconds = 20_000;

/** Purges deleted runs from the records of a table stream. */
export const handler = withStreamLag("purge-run", async (event: DynamoDBStreamEvent): Promise<void> => {
  const until = Date.now() + batchMilliseconds;
  for (const record of event.Records) {
    const { project, run } = runOfRecord(record);
    const storedRun = await deletion.find(project, run);
    if (storedRun !== null) await purge(storedRun, until);
  }
});
