import type { DynamoDBStreamEvent } from "aws-lambda";
import { runPurge } from "../../lib/evaluation/upkeep/purge-run.ts";
import { connect } from "../../lib/store/database.ts";
import { runDeletion } from "../../lib/store/runs/deletion.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { spendStore } from "../../lib/store/spend/spend.ts";
import { runOfRecord } from "../../lib/stream/run-of-record.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const database = connect();
const deletion = runDeletion(database, runStore(database));
const purge = runPurge({
  deletion,
  scores: scoreRemoval(database),
  spend: spendStore(database),
  now: Date.now,
});

/** Of the worker's 60 s: the sweeper goes on with what is left. */
const batchMilliseconds = 20_000;

export const handler = withStreamLag("purge-run", async (event: DynamoDBStreamEvent): Promise<void> => {
  const until = Date.now() + batchMilliseconds;
  for (const record of event.Records) {
    const { project, run } = runOfRecord(record);
    const stored = await deletion.find(project, run);
    if (stored !== null) await purge(stored, until);
  }
});
