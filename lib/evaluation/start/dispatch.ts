import type { JudgeQueue } from "../../queue/judge-queue.ts";
import { sliceId } from "../../store/runs/keys.ts";
import { logLine } from "../../log.ts";
import { withLogContext } from "../../log-context.ts";
import { logContextOfRun, type StoredRun } from "../../store/runs/codec.ts";
import type { Rotations } from "../../store/runs/rotations.ts";
import type { Runs } from "../../store/runs/runs.ts";

export interface DispatchDependencies {
  readonly runs: Pick<Runs, "endEmpty">;
  readonly queue: Pick<JudgeQueue, "send">;
  readonly turns: Pick<Rotations, "enter">;
}

/**
 * Starts a stored run: sends one message per slice (a single one for a sequential run) and lets the run take turns, or ends the
 * run if it has no slices. Idempotent.
 */
export const dispatch = async (storedRun: StoredRun, { runs, queue, turns }: DispatchDependencies): Promise<void> => {
  const { order } = storedRun.run;
  if (storedRun.isCreating) return;
  if (storedRun.slices === 0) return await runs.endEmpty(storedRun);
  const messages = Array.from({ length: order.sequential ? 1 : storedRun.slices }, (_, number) => ({
    project: order.projectId,
    run: order.id,
    slice: sliceId(storedRun.attempt, number),
  }));
  await withLogContext(logContextOfRun(storedRun), async () => {
    await queue.send(messages);
    logLine("run_queued", { messages: messages.length });
  });
  await turns.enter(order.projectId, order.id);
};
