import { runPurge } from "../../../lib/evaluation/maintenance/purge-run.ts";
import { deletedRunsCursor, sweep, type Sweep } from "../../../lib/evaluation/maintenance/sweep.ts";
import { sweepLimits, type SweepLimits } from "../../../lib/evaluation/maintenance/sweep-limits.ts";
import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { rotationStore } from "../../../lib/store/runs/rotations.ts";
import { openRunStore } from "../../../lib/store/runs/open.ts";
import { dueRunStore } from "../../../lib/store/runs/due-runs.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceResendStore } from "../../../lib/store/runs/slice-resends.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";

const silentQueue: JudgeQueue = {
  send: async () => undefined,
  delayMessage: async () => undefined,
};

/** Runs one sweep of open, due and deleted runs at the time of `now`, with a silent judge queue by default. */
export const sweepOf = (
  database: Database,
  now: () => number,
  queue: JudgeQueue = silentQueue,
  limits: SweepLimits = sweepLimits,
  queueIsEmpty = false,
): Promise<Sweep> => {
  const runs = runStore(database, now);
  const deletion = runDeletion(database, runs, now);
  const purge = runPurge({ deletion, scores: scoreRemoval(database, now), now });
  return sweep(
    {
      openRuns: openRunStore(database),
      dueRuns: dueRunStore(database),
      runs,
      resends: sliceResendStore(database),
      queue,
      turns: rotationStore(database, async (project) => `owner of ${project}`, { now }),
      queueIsEmpty,
      deletion,
      purge,
      purgeCursor: cursorStore(database, deletedRunsCursor, now),
      now,
    },
    limits,
  );
};
