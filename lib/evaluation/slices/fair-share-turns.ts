import { faultFields, logLine } from "../../log.ts";
import type { SliceMessage } from "../../queue/slice-message.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import type { OpenProject, FairTurns } from "../../store/runs/fair-turns.ts";

/** Milliseconds that a worker works for one project while another project waits. */
const turnMilliseconds = 15_000;

/** Milliseconds between two checks for waiting projects. */
const checkIntervalMilliseconds = 5_000;

/** Projects that one check searches for a waiting slice, at most. */
const maxProjects = 5;

/** Slices of a run that are read in search of a free slice, from a random position. */
const sliceWindow = 20;

/** Milliseconds that a project without a free slice is skipped. */
const busyProjectMilliseconds = 60_000;

/** Fair-share turn of a worker: the time in which it works for one project. */
export interface Turn {
  /** Message of the slice that the worker works on. */
  readonly message: SliceMessage;
  /** True if the worker has received the message of another slice. */
  readonly isBorrowed: boolean;
  /** True if the worker must yield to a waiting project: no further judgement starts. */
  readonly isOver: () => boolean;
}

export interface TurnDependencies {
  readonly turns: FairTurns;
  readonly runs: Pick<Runs, "read" | "slices">;
  readonly now: () => number;
  readonly random?: () => number;
}

/** True if a slice can be leased and its own message still exists, so that a later delivery continues the work. */
const isFree = ({ slice, until, asleep, sentAt }: StoredSlice, now: number): boolean =>
  slice.state === "open" && until <= now && (!asleep || (sentAt !== null && sentAt >= until));

/** Runs `work` for the slice of a message, or for a borrowed slice of a project that has waited longer. */
export type RunInTurn = <Result>(message: SliceMessage, work: (turn: Turn) => Promise<Result>) => Promise<Result>;

/**
 * Distributes workers fairly over projects, independent of the queue order. A message only starts a worker; the worker takes a
 * slice of the project whose last turn is oldest. After 15 s a worker yields if another project waits; one worker yields every
 * five seconds. The cost is one read if only one project has open runs.
 */
export const fairShareTurns = ({ turns, runs, now, random = Math.random }: TurnDependencies): RunInTurn => {
  /** End of the time in which a project is skipped, epoch milliseconds, by project. */
  const busyUntil = new Map<string, number>();

  const freeSlice = async (project: string, run: string): Promise<SliceMessage | null> => {
    const storedRun = await runs.read(project, run);
    if (storedRun === null || storedRun.isCreating || isTerminal(storedRun.run.status) || storedRun.slices === 0)
      return null;
    const { sequential } = storedRun.run.order;
    if (sequential) {
      const first = (await runs.slices(project, run, storedRun.attempt)).find(({ slice }) => slice.state === "open");
      return first !== undefined && isFree(first, now()) ? { project, run, slice: first.slice.id } : null;
    }
    const from = Math.floor(random() * Math.max(1, storedRun.slices - sliceWindow + 1));
    const candidates = await runs.slices(project, run, storedRun.attempt, [from, from + sliceWindow - 1]);
    const free = candidates.filter((slice) => isFree(slice, now()));
    const randomSlice = free[Math.floor(random() * free.length)];
    return randomSlice === undefined ? null : { project, run, slice: randomSlice.slice.id };
  };

  const freeSliceOf = async ({ project, runs: openRuns }: OpenProject): Promise<SliceMessage | null> => {
    for (const run of openRuns) {
      const message = await freeSlice(project, run);
      if (message !== null) return message;
    }
    busyUntil.set(project, now() + busyProjectMilliseconds);
    return null;
  };

  /** Finds a free slice of a project whose last turn began before `since`, epoch milliseconds, oldest turn first. */
  const findWaitingSlice = async (
    otherProjects: readonly OpenProject[],
    lastTurnAt: ReadonlyMap<string, number>,
    since: number,
  ) => {
    for (const [project, until] of busyUntil) if (until <= now()) busyUntil.delete(project);
    const waitingProjects = otherProjects
      .filter(({ project }) => (lastTurnAt.get(project) ?? 0) < since && !busyUntil.has(project))
      .toSorted((a, b) => (lastTurnAt.get(a.project) ?? 0) - (lastTurnAt.get(b.project) ?? 0));
    for (const waitingProject of waitingProjects.slice(0, maxProjects)) {
      const message = await freeSliceOf(waitingProject);
      if (message !== null) return message;
    }
    return null;
  };

  const openProjectsExcept = async (project: string): Promise<readonly OpenProject[]> =>
    (await turns.openProjects()).filter((open) => open.project !== project);

  /** Chooses the slice for a worker that has received a message: the slice of the message, or one of a waiting project. */
  const chooseSlice = async (received: SliceMessage): Promise<SliceMessage> => {
    const otherProjects = await openProjectsExcept(received.project);
    if (otherProjects.length === 0) return received;
    const lastTurnAt = await turns.lastTurns([received.project, ...otherProjects.map(({ project }) => project)]);
    const chosen =
      (await findWaitingSlice(otherProjects, lastTurnAt, lastTurnAt.get(received.project) ?? 0)) ?? received;
    await turns.take(chosen.project);
    return chosen;
  };

  const mustYield = async (project: string, begunAt: number): Promise<boolean> => {
    const otherProjects = await openProjectsExcept(project);
    if (otherProjects.length === 0) return false;
    const waitingSlice = await findWaitingSlice(
      otherProjects,
      await turns.lastTurns(otherProjects.map((other) => other.project)),
      begunAt,
    );
    if (waitingSlice === null || !(await turns.yieldPlace(waitingSlice.project))) return false;
    await turns.take(project);
    return true;
  };

  return async (received, work) => {
    const message = await chooseSlice(received);
    const begunAt = now();
    let [isOver, nextCheckAt] = [false, begunAt + turnMilliseconds];
    let pendingCheck: Promise<void> = Promise.resolve();

    const checkTurn = async (): Promise<void> => {
      try {
        isOver = await mustYield(message.project, begunAt);
      } catch (error) {
        // The next check lets the waiting project in.
        logLine("turn_not_seen", faultFields(error));
      }
    };

    try {
      return await work({
        message,
        isBorrowed: message !== received,
        isOver: () => {
          if (!isOver && now() >= nextCheckAt) {
            nextCheckAt = now() + checkIntervalMilliseconds;
            pendingCheck = checkTurn();
          }
          return isOver;
        },
      });
    } finally {
      await pendingCheck;
    }
  };
};
