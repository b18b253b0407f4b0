import { epochOf } from "../../domain/instant.ts";
import { isTerminal, targetTypes } from "../../domain/runs/run.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { eraseItems, erasePartition, keyPages, stays, type Erase } from "../erase-items.ts";
import { closeBooks } from "../spend/close.ts";
import { eraseBudgets } from "../spend/erase.ts";
import { spendStore } from "../spend/spend.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { runDeletion } from "./deletion.ts";
import {
  deletedRunsPartition,
  formerRunListPartition,
  openPartition,
  runListPartition,
  runPartition,
  turnKey,
} from "./keys.ts";
import { runStore } from "./runs.ts";
import { sliceKeys } from "./slice-removal.ts";

/** Longer than any function lives that could still put slices for a run that it creates, or tell what it has spent on it. */
const functionMilliseconds = 16 * 60_000;

/** Since when nobody begins anything with a run any more, epoch milliseconds. */
const overSince = ({ run: { order, completedAt }, creating, deleted }: StoredRun, now: number): number => {
  if (creating) return epochOf(order.createdAt);
  return deleted?.at ?? (completedAt === null ? now : epochOf(completedAt));
};

/** What is open of a project and what is left of its runs. */
const runsOf = (database: Database) => {
  const read = async (keys: readonly Record<string, unknown>[]): Promise<readonly StoredRun[]> =>
    (await batchGet(database, "runs", keys)).map(unpackRun);

  /** Those that have not ended, the ones that are being created too. Of all projects' open ones, which are few. */
  const open = async function* (project: string): AsyncGenerator<StoredRun> {
    for await (const keys of keyPages(database, "runs", openPartition, { name: "open", key: "open_key" }))
      yield* await read(keys.filter(({ pk }) => String(pk).startsWith(`${project}#`)));
  };

  const listed = async function* (project: string): AsyncGenerator<StoredRun> {
    const lists = [
      ...targetTypes.flatMap((type) => [runListPartition(project, type), formerRunListPartition(project, type)]),
      deletedRunsPartition(project),
    ];
    for (const list of lists) {
      for await (const keys of keyPages(database, "runs", list, { name: "by-created", key: "list_key" }))
        yield* await read(keys);
    }
  };

  return { open, listed };
};

const endOf = (database: Database, now: () => number) => {
  const [deletion, spend] = [runDeletion(database, runStore(database, now), now), spendStore(database, now)];
  /** Takes a run from its workers as its own deletion does, and gives back what it holds and has not spent. */
  return async (stored: StoredRun): Promise<void> => {
    const { projectId, id } = stored.run.order;
    if (stored.creating) return;
    if (stored.deleted !== null) await deletion.voidSlices(stored);
    else if (!isTerminal(stored.run.status)) await deletion.remove(stored, false);
    await spend.releaseRun(projectId, id, () => deletion.costs(stored));
  };
};

/**
 * Closes the books of a run that no list leads to, before it is removed: what they hold beyond what its slices have cost is given
 * back. Does nothing where there is no such run.
 */
export const closeRun = (database: Database, now: () => number = Date.now) => {
  const [runs, end, close] = [runStore(database, now), endOf(database, now), closeBooks(database, now)];
  const deletion = runDeletion(database, runs, now);
  return async (project: string, run: string): Promise<void> => {
    const stored = (await runs.read(project, run)) ?? (await deletion.find(project, run));
    if (stored === null) return;
    await end(stored);
    for await (const _ of close(project, run));
  };
};

/** Ends what a project's runs still do, before anything of them is removed: nothing more of it is judged or held. */
export const stopRuns = (database: Database, now: () => number = Date.now): Erase => {
  const [runs, end] = [runsOf(database), endOf(database, now)];
  return async function* (project) {
    for await (const stored of runs.open(project)) {
      await end(stored);
      yield stays;
    }
  };
};

/**
 * A project's runs with their slices and what is noted of their cost: those that are listed, those that were deleted and
 * those that are being created. A run stays until the workers are gone that it had when it ended, since they still tell its
 * books what they have spent; one that is being created until its creator is gone: its slices are found by it.
 */
export const eraseRuns = (database: Database, now: () => number = Date.now): Erase => {
  const [runs, end, close] = [runsOf(database), endOf(database, now), closeBooks(database, now)];

  const eraseRun = async function* (stored: StoredRun): ReturnType<Erase> {
    const { projectId, id } = stored.run.order;
    await end(stored);
    if (now() - overSince(stored, now()) < functionMilliseconds) {
      if (stored.creating) yield await eraseItems(database, "runs", await sliceKeys(database, projectId, id));
      yield stays;
      return;
    }
    for await (const closed of close(projectId, id)) {
      yield closed;
      if (closed === stays) return;
    }
    const partition = runPartition(projectId, id);
    yield await eraseBudgets(database, [partition]);
    yield* erasePartition(database, "spend", partition);
    yield* erasePartition(database, "runs", partition, "run");
  };

  return async function* (project) {
    for await (const stored of runs.listed(project)) yield* eraseRun(stored);
    for await (const stored of runs.open(project)) yield* eraseRun(stored);
    yield await eraseItems(database, "runs", await batchGet(database, "runs", [turnKey(project)]));
  };
};
