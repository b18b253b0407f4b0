import { epochOf } from "../../domain/instant.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import type { JudgeQueue } from "../../queue/judge-queue.ts";
import type { OpenRuns } from "../../store/runs/open.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { RunDeletion } from "../../store/runs/deletion.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import type { PurgeRun } from "./purge-run.ts";

/** A creation that takes longer than this is taken for dead; the function that does it lives half as long. */
const creationMilliseconds = 60_000;

/** A message may be this late before it is taken for lost. */
const graceMilliseconds = 10_000;

/** What a sweep did. */
export interface Sweep {
  readonly open: number;
  readonly removed: number;
  readonly ended: number;
  readonly sent: number;
  /** Deleted runs of which nothing is left. */
  readonly buried: number;
}

export interface SweepParts {
  readonly openRuns: OpenRuns;
  readonly runs: Runs;
  readonly queue: JudgeQueue;
  readonly deletion: Pick<RunDeletion, "list" | "find">;
  readonly purge: PurgeRun;
  readonly now: () => number;
}

const isLost = ({ epoch, until }: StoredSlice, createdAt: number, now: number): boolean =>
  epoch === 0 ? now - createdAt > creationMilliseconds : now - until > graceMilliseconds;

/** The slices of a run that can be worked on: of a run that goes on one after the other the first that is open. */
const workable = (slices: readonly StoredSlice[], sequential: boolean): readonly StoredSlice[] => {
  const open = slices.filter(({ slice }) => slice.state === "open");
  return sequential ? open.slice(0, 1) : open;
};

/**
 * Repairs what a dead process left: removes runs whose creation was broken off, ends empty ones, sends slices again that
 * nobody holds, and removes what deleted runs have left. While messages wait in the queue none is taken for lost.
 *
 * @throws AggregateError when some runs could not be repaired, after all others were.
 */
export const sweep = async ({ openRuns, runs, queue, deletion, purge, now }: SweepParts): Promise<Sweep> => {
  const done = { open: 0, removed: 0, ended: 0, sent: 0, buried: 0 };
  let idle: boolean | undefined;

  const repair = async (stored: StoredRun): Promise<void> => {
    const { order, status } = stored.run;
    const createdAt = epochOf(order.createdAt);
    if (isTerminal(status)) return;
    done.open += 1;
    if (stored.creating) {
      if (now() - createdAt > creationMilliseconds && (await openRuns.removeUncommitted(stored))) done.removed += 1;
      return;
    }
    if (stored.slices === 0) {
      await runs.endEmpty(stored);
      done.ended += 1;
      return;
    }
    idle ??= await queue.isIdle();
    if (!idle) return;
    const slices = await runs.slices(order.projectId, order.id, stored.attempt);
    const lost = workable(slices, order.sequential).filter((slice) => isLost(slice, createdAt, now()));
    await queue.send(lost.map(({ slice }) => ({ project: order.projectId, run: order.id, slice: slice.id })));
    done.sent += lost.length;
  };

  const bury = async (stored: StoredRun): Promise<void> => {
    if (await purge(stored)) done.buried += 1;
  };

  const failures: unknown[] = [];
  const each = async (
    found: AsyncIterable<{ readonly project: string; readonly run: string }>,
    read: (project: string, run: string) => Promise<StoredRun | null>,
    work: (stored: StoredRun) => Promise<void>,
  ): Promise<void> => {
    for await (const { project, run } of found) {
      try {
        const stored = await read(project, run);
        if (stored !== null) await work(stored);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await each(openRuns.list(), (project, run) => runs.read(project, run), repair);
  await each(deletion.list(), (project, run) => deletion.find(project, run), bury);
  if (failures.length > 0) {
    const runsOf = failures.length === 1 ? "1 run" : `${failures.length} runs`;
    throw new AggregateError(failures, `${runsOf} could not be repaired.`);
  }
  return done;
};
