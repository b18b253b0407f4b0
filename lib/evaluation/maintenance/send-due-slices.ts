import { epochOf } from "../../domain/instant.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import type { JudgeQueue } from "../../queue/judge-queue.ts";
import { logLine } from "../../log.ts";
import { withLogContext } from "../../log-context.ts";
import { logContextOfRun, type StoredRun } from "../../store/runs/codec.ts";
import type { Rotations } from "../../store/runs/rotations.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { SliceResends } from "../../store/runs/slice-resends.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { isFree } from "../slices/fair-share-turns.ts";
import { dueAt, nextCheckAt, workableSlices } from "./due-slices.ts";
import type { SweepBudget } from "./sweep-limits.ts";

/** Slices recorded and sent at a time: the size of an SQS batch. */
const batchSize = 10;

export interface SendDependencies {
  readonly runs: Pick<Runs, "read" | "slices">;
  readonly resends: SliceResends;
  readonly queue: Pick<JudgeQueue, "send">;
  readonly turns: Pick<Rotations, "enter" | "leave">;
  /** True if the queue is known to have lost its messages: every slice that may be claimed now is due. */
  readonly queueIsEmpty: boolean;
  readonly now: () => number;
}

/**
 * Sends the due slices of a run, and lets a run with free slices take turns. Each send is recorded first, so that a sweep that dies in between does not cause extra
 * messages.
 *
 * @returns the number of sent slices, and the time of the run's next check in epoch milliseconds: in the past if due slices
 * remain.
 */
export const sendDueSlices = async (
  { runs, resends, queue, turns, queueIsEmpty, now }: SendDependencies,
  storedRun: StoredRun,
  budget: SweepBudget,
): Promise<{ readonly sent: number; readonly next: number }> => {
  const { order } = storedRun.run;
  const { projectId: project, id: run } = order;
  const createdAt = epochOf(order.createdAt);
  const open = workableSlices(await runs.slices(project, run, storedRun.attempt), order.sequential);
  const due = open.filter((slice) => Math.min(dueAt(slice, createdAt), queueIsEmpty ? slice.until : Infinity) <= now());
  const slicesToSend = due.slice(0, budget.takeSends(due.length));
  let sentCount = 0;
  const updatedSlices = new Map(open.map((slice) => [slice.slice.id, slice]));
  for (let start = 0; start < slicesToSend.length; start += batchSize) {
    const at = now();
    const batch = slicesToSend.slice(start, start + batchSize);
    const isRecorded = await Promise.all(batch.map((slice) => resends.record(slice, at)));
    const recordedSlices: readonly StoredSlice[] = batch.filter((_, index) => isRecorded[index]);
    try {
      await withLogContext(logContextOfRun(storedRun), async () => {
        await queue.send(recordedSlices.map(({ slice }) => ({ project, run, slice: slice.id })));
        if (recordedSlices.length > 0) logLine("run_queued", { messages: recordedSlices.length });
      });
    } catch (error) {
      await Promise.all(recordedSlices.map((slice) => resends.revert(slice, at)));
      throw error;
    }
    for (const slice of recordedSlices) updatedSlices.set(slice.slice.id, { ...slice, sentAt: at });
    sentCount += recordedSlices.length;
  }
  // A run that no place leads to takes turns again: one of an earlier build, or one whose start was interrupted.
  if ([...updatedSlices.values()].some((slice) => isFree(slice, now()))) {
    await turns.enter(project, run);
    // The run may have ended, and left its rotation, since its slices were read.
    const currentRun = await runs.read(project, run);
    if (currentRun === null || isTerminal(currentRun.run.status)) await turns.leave(project, run);
  }
  return { sent: sentCount, next: nextCheckAt([...updatedSlices.values()], createdAt, now()) };
};
