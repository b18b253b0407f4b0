import { runPurge } from "../../../lib/evaluation/upkeep/purge-run.ts";
import { burialPlace, sweep, type Sweep } from "../../../lib/evaluation/upkeep/sweep.ts";
import { sweepLimits, type SweepLimits } from "../../../lib/evaluation/upkeep/sweep-room.ts";
import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import type { Database } from "../../../lib/store/database.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import { openRunStore } from "../../../lib/store/runs/open.ts";
import { dueRunStore } from "../../../lib/store/runs/due-runs.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sendingStore } from "../../../lib/store/runs/sendings.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";

const silentQueue: JudgeQueue = {
  send: async () => undefined,
  showAgain: async () => undefined,
};

/** A sweep at some time. */
export const sweepOf = (
  database: Database,
  now: () => number,
  queue: JudgeQueue = silentQueue,
  limits: SweepLimits = sweepLimits,
  queueIsEmpty = false,
): Promise<Sweep> => {
  const runs = runStore(database, now);
  const deletion = runDeletion(database, runs, now);
  const purge = runPurge({ deletion, scores: scoreRemoval(database, now), spend: spendStore(database, now), now });
  return sweep(
    {
      openRuns: openRunStore(database),
      dueRuns: dueRunStore(database),
      runs,
      sendings: sendingStore(database),
      queue,
      queueIsEmpty,
      deletion,
      purge,
      buriedTo: cursorStore(database, burialPlace, now),
      now,
    },
    limits,
  );
};
