import { runPurge } from "../../../lib/evaluation/upkeep/purge-run.ts";
import { sweep, type Sweep } from "../../../lib/evaluation/upkeep/sweep.ts";
import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import type { Database } from "../../../lib/store/database.ts";
import { openRunStore } from "../../../lib/store/runs/open.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";

const idleQueue: JudgeQueue = {
  send: async () => undefined,
  showAgain: async () => undefined,
  isIdle: async () => true,
};

/** A sweep at some time. */
export const sweepOf = (database: Database, now: () => number, queue: JudgeQueue = idleQueue): Promise<Sweep> => {
  const runs = runStore(database, now);
  const deletion = runDeletion(database, runs, now);
  const purge = runPurge({ deletion, scores: scoreRemoval(database), spend: spendStore(database, now), now });
  return sweep({ openRuns: openRunStore(database), runs, queue, deletion, purge, now });
};
