import type { JudgeQueue } from "../../queue/judge-queue.ts";
import { sliceId } from "../../store/runs/keys.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";

/**
 * Sets a committed run going: its slices are sent, or, where it has none, it ends. A run that goes on one judgement after
 * the other is one message. Doing it twice does no harm.
 */
export const dispatch = async (stored: StoredRun, runs: Runs, queue: JudgeQueue): Promise<void> => {
  const { order } = stored.run;
  if (stored.creating) return;
  if (stored.slices === 0) return await runs.endEmpty(stored);
  await queue.send(
    Array.from({ length: order.sequential ? 1 : stored.slices }, (_, number) => ({
      project: order.projectId,
      run: order.id,
      slice: sliceId(stored.attempt, number),
    })),
  );
};
