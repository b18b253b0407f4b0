import { epochOf } from "../../domain/instant.ts";
import type { JudgeQueue } from "../../queue/judge-queue.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { Sendings } from "../../store/runs/sendings.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import { dueAt, nextLook, workable } from "./due-slices.ts";
import type { SweepRoom } from "./sweep-room.ts";

/** Slices noted and sent at a time: a batch of SQS. */
const width = 10;

export interface SendParts {
  readonly runs: Pick<Runs, "slices">;
  readonly sendings: Sendings;
  readonly queue: Pick<JudgeQueue, "send">;
  /** Whether it is known that the queue has lost what was in it: what is to be worked on now is due, whenever it was sent. */
  readonly queueIsEmpty: boolean;
  readonly now: () => number;
}

/**
 * Sends the slices of a run that are due. That a slice is sent is noted first: whoever dies in between, none is sent more
 * often than it is due.
 *
 * @returns how many were sent, and when to look at the run again, epoch milliseconds: not in the future where some are left.
 */
export const sendDueSlices = async (
  { runs, sendings, queue, queueIsEmpty, now }: SendParts,
  { run: { order }, attempt }: StoredRun,
  room: SweepRoom,
): Promise<{ readonly sent: number; readonly next: number }> => {
  const { projectId: project, id: run } = order;
  const createdAt = epochOf(order.createdAt);
  const open = workable(await runs.slices(project, run, attempt), order.sequential);
  const due = open.filter((slice) => Math.min(dueAt(slice, createdAt), queueIsEmpty ? slice.until : Infinity) <= now());
  const wanted = due.slice(0, room.takeSends(due.length));
  let sent = 0;
  const after = new Map(open.map((slice) => [slice.slice.id, slice]));
  for (let start = 0; start < wanted.length; start += width) {
    const at = now();
    const batch = wanted.slice(start, start + width);
    const noted = await Promise.all(batch.map((slice) => sendings.note(slice, at)));
    const mine: readonly StoredSlice[] = batch.filter((_, index) => noted[index]);
    try {
      await queue.send(mine.map(({ slice }) => ({ project, run, slice: slice.id })));
    } catch (error) {
      await Promise.all(mine.map((slice) => sendings.takeBack(slice, at)));
      throw error;
    }
    for (const slice of mine) after.set(slice.slice.id, { ...slice, sentAt: at });
    sent += mine.length;
  }
  return { sent, next: nextLook([...after.values()], createdAt, now()) };
};
