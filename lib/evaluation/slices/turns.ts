import { faultFields, logLine } from "../../log.ts";
import type { SliceMessage } from "../../queue/slice-message.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import type { OpenProject, Turns } from "../../store/runs/turns.ts";

/** Milliseconds that a worker works for a project while another one waits. */
const turnMilliseconds = 15_000;

/** Milliseconds between two looks for who waits. */
const lookMilliseconds = 5_000;

/** Projects that a slice is looked for in at one look. */
const mostProjects = 5;

/** Slices of a run that are looked at, from a random one on. */
const window = 20;

/** Milliseconds after which a project is looked at again in which every slice was held, or waited for something else. */
const patience = 60_000;

/** A worker's turn. */
export interface Turn {
  /** What it works on. */
  readonly message: SliceMessage;
  /** Whether it was sent for something else. */
  readonly borrowed: boolean;
  /** Whether another project waits and has to be let in: nothing more is begun. */
  readonly isOver: () => boolean;
}

export interface TurnParts {
  readonly turns: Turns;
  readonly runs: Pick<Runs, "read" | "slices">;
  readonly now: () => number;
  readonly random?: () => number;
}

/** Whether a slice may be worked on, and a message of it is left that brings the next worker. */
const isFree = ({ slice, until, asleep, sentAt }: StoredSlice, now: number): boolean =>
  slice.state === "open" && until <= now && (!asleep || (sentAt !== null && sentAt >= until));

/** Lets a worker work on what it was sent for, or on what has waited longer. */
export type InTurn = <Result>(message: SliceMessage, work: (turn: Turn) => Promise<Result>) => Promise<Result>;

/**
 * Judges work for projects in turns, however deep the queue is: a message lets a worker work, and what it works on is a slice
 * of the project that was worked for least recently. Whoever has worked for 15 s gives its place up when another project
 * waits; of all who see it wait one every five seconds. Costs a read where one project has runs.
 */
export const inTurnOfProjects = ({ turns, runs, now, random = Math.random }: TurnParts): InTurn => {
  /** Until when there is no need to look at a project again, epoch milliseconds. */
  const seenBusy = new Map<string, number>();

  const freeSlice = async (project: string, run: string): Promise<SliceMessage | null> => {
    const stored = await runs.read(project, run);
    if (stored === null || stored.creating || isTerminal(stored.run.status) || stored.slices === 0) return null;
    const { sequential } = stored.run.order;
    if (sequential) {
      const first = (await runs.slices(project, run, stored.attempt)).find(({ slice }) => slice.state === "open");
      return first !== undefined && isFree(first, now()) ? { project, run, slice: first.slice.id } : null;
    }
    const from = Math.floor(random() * Math.max(1, stored.slices - window + 1));
    const found = await runs.slices(project, run, stored.attempt, [from, from + window - 1]);
    const free = found.filter((slice) => isFree(slice, now()));
    const one = free[Math.floor(random() * free.length)];
    return one === undefined ? null : { project, run, slice: one.slice.id };
  };

  const freeSliceOf = async ({ project, runs: open }: OpenProject): Promise<SliceMessage | null> => {
    for (const run of open) {
      const found = await freeSlice(project, run);
      if (found !== null) return found;
    }
    seenBusy.set(project, now() + patience);
    return null;
  };

  /** What waits in other projects, the one worked for least recently first: for longer than since an instant. */
  const waiting = async (others: readonly OpenProject[], taken: ReadonlyMap<string, number>, since: number) => {
    for (const [project, until] of seenBusy) if (until <= now()) seenBusy.delete(project);
    const behind = others
      .filter(({ project }) => (taken.get(project) ?? 0) < since && !seenBusy.has(project))
      .toSorted((a, b) => (taken.get(a.project) ?? 0) - (taken.get(b.project) ?? 0));
    for (const other of behind.slice(0, mostProjects)) {
      const found = await freeSliceOf(other);
      if (found !== null) return found;
    }
    return null;
  };

  const othersThan = async (project: string): Promise<readonly OpenProject[]> =>
    (await turns.open()).filter((open) => open.project !== project);

  /** What a worker has to work on that was sent for a slice. */
  const choose = async (sent: SliceMessage): Promise<SliceMessage> => {
    const others = await othersThan(sent.project);
    if (others.length === 0) return sent;
    const taken = await turns.taken([sent.project, ...others.map(({ project }) => project)]);
    const chosen = (await waiting(others, taken, taken.get(sent.project) ?? 0)) ?? sent;
    await turns.take(chosen.project);
    return chosen;
  };

  const hasToEnd = async (project: string, begunAt: number): Promise<boolean> => {
    const others = await othersThan(project);
    if (others.length === 0) return false;
    const found = await waiting(others, await turns.taken(others.map((other) => other.project)), begunAt);
    if (found === null || !(await turns.makeRoom(found.project))) return false;
    await turns.take(project);
    return true;
  };

  return async (sent, work) => {
    const message = await choose(sent);
    const begunAt = now();
    let [over, lookAt] = [false, begunAt + turnMilliseconds];
    let looking: Promise<void> = Promise.resolve();

    const look = async (): Promise<void> => {
      try {
        over = await hasToEnd(message.project, begunAt);
      } catch (error) {
        // Who waits is let in a look later.
        logLine("turn_not_seen", faultFields(error));
      }
    };

    try {
      return await work({
        message,
        borrowed: message !== sent,
        isOver: () => {
          if (!over && now() >= lookAt) {
            lookAt = now() + lookMilliseconds;
            looking = look();
          }
          return over;
        },
      });
    } finally {
      await looking;
    }
  };
};
