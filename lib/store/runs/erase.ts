import { epochOf } from "../../domain/instant.ts";
import { isTerminal, targetTypes } from "../../domain/runs/run.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems, erasePartition, keyPages, cannotEraseYet, type Erase } from "../../dynamo/erase-items.ts";
import { organizationsOfProjects } from "../access/organizations-of-projects.ts";
import { closeLedger } from "../spend/close-ledger.ts";
import { eraseBudgets } from "../spend/erase.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { runDeletion } from "./deletion.ts";
import {
  deletedRunsPartition,
  openPartition,
  runListPartition,
  placeKeys,
  runPartition,
  turnPartition,
} from "./keys.ts";
import { runStore } from "./runs.ts";
import { sliceKeys } from "./slice-removal.ts";

/**
 * Milliseconds after which no function runs any more that could store slices of a run it creates, or record costs of
 * the run.
 */
const functionMilliseconds = 16 * 60_000;

/** Time since which no new work begins for a run, epoch milliseconds; the current time for an active run. */
const inactiveSince = ({ run: { order, completedAt }, isCreating, deletion }: StoredRun, now: number): number => {
  if (isCreating) return epochOf(order.createdAt);
  return deletion?.at ?? (completedAt === null ? now : epochOf(completedAt));
};

/** Returns iterators over a project's open runs and over its listed runs. */
const runsOf = (database: Database) => {
  const readRuns = async (keys: readonly Record<string, unknown>[]): Promise<readonly StoredRun[]> =>
    (await batchGet(database, "runs", keys)).map(unpackRun);

  /** Runs that have not ended, uncommitted ones included. Filters the open runs of all projects, which are few. */
  const openRuns = async function* (project: string): AsyncGenerator<StoredRun> {
    for await (const keys of keyPages(database, "runs", openPartition, { name: "open", key: "open_key" }))
      yield* await readRuns(keys.filter(({ pk }) => String(pk).startsWith(`${project}#`)));
  };

  const listedRuns = async function* (project: string): AsyncGenerator<StoredRun> {
    const lists = [...targetTypes.map((type) => runListPartition(project, type)), deletedRunsPartition(project)];
    for (const list of lists) {
      for await (const keys of keyPages(database, "runs", list, { name: "by-created", key: "list_key" }))
        yield* await readRuns(keys);
    }
  };

  return { open: openRuns, listed: listedRuns };
};

const runEnd = (database: Database, now: () => number) => {
  const deletion = runDeletion(database, runStore(database, now), now);
  /** Revokes the leases of a run's workers, as its deletion does. */
  return async (storedRun: StoredRun): Promise<void> => {
    if (storedRun.isCreating) return;
    if (storedRun.deletion !== null) await deletion.voidSlices(storedRun);
    else if (!isTerminal(storedRun.run.status)) await deletion.remove(storedRun, false);
  };
};

/**
 * Closes the ledger of a run that no list contains, before it is removed, and counts its cost. Does nothing when the run does not exist.
 */
export const closeRun = (database: Database, now: () => number = Date.now) => {
  const [runs, end, close] = [runStore(database, now), runEnd(database, now), closeLedger(database, now)];
  const deletion = runDeletion(database, runs, now);
  return async (project: string, run: string): Promise<void> => {
    const storedRun = (await runs.read(project, run)) ?? (await deletion.find(project, run));
    if (storedRun === null) return;
    await end(storedRun);
    for await (const _ of close(project, run));
    await deletion.countOpenSlices(storedRun, true);
  };
};

/** Stops all open runs of a project before anything is erased, so that nothing more is judged or reserved. */
export const stopRuns = (database: Database, now: () => number = Date.now): Erase => {
  const [runs, end] = [runsOf(database), runEnd(database, now)];
  return async function* (project) {
    for await (const storedRun of runs.open(project)) {
      await end(storedRun);
      yield cannotEraseYet;
    }
  };
};

/**
 * Erases a project's runs with their slices and ledgers: listed, deleted and uncommitted runs. A run is erased only
 * after the workers that it had when it ended are gone, because they still record costs; an uncommitted run only
 * after its creator is gone, because its slices are listed by the run.
 */
export const eraseRuns = (database: Database, now: () => number = Date.now): Erase => {
  const [runs, end, close] = [runsOf(database), runEnd(database, now), closeLedger(database, now)];
  const deletion = runDeletion(database, runStore(database, now), now);
  const organizationOf = organizationsOfProjects(database);

  const eraseRun = async function* (storedRun: StoredRun): ReturnType<Erase> {
    const { projectId, id } = storedRun.run.order;
    await end(storedRun);
    if (now() - inactiveSince(storedRun, now()) < functionMilliseconds) {
      if (storedRun.isCreating) yield await eraseItems(database, "runs", await sliceKeys(database, projectId, id));
      yield cannotEraseYet;
      return;
    }
    for await (const closed of close(projectId, id)) {
      yield closed;
      if (closed === cannotEraseYet) return;
    }
    await deletion.countOpenSlices(storedRun, true);
    const partition = runPartition(projectId, id);
    yield await eraseBudgets(database, [partition]);
    yield* erasePartition(database, "spend", partition);
    yield* erasePartition(database, "runs", partition, "run");
  };

  return async function* (project) {
    for await (const storedRun of runs.listed(project)) yield* eraseRun(storedRun);
    for await (const storedRun of runs.open(project)) yield* eraseRun(storedRun);
    yield* erasePartition(database, "runs", turnPartition(project));
    const organization = await organizationOf(project);
    const place = organization === null ? [] : [placeKeys.project(organization, project)];
    yield await eraseItems(database, "runs", await batchGet(database, "runs", place));
  };
};

/** Erases the places of a deleted organization and its projects in rotations of fair-share turns, and its last turn. */
export const eraseOrganizationTurns =
  (database: Database): Erase =>
  (organization) =>
    erasePartition(database, "runs", turnPartition(organization));
