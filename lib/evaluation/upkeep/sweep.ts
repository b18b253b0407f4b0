import { inTurns, throwFailures } from "../../async/in-turns.ts";
import { epochOf } from "../../domain/instant.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import type { Cursor, CursorPlace } from "../../store/cursor.ts";
import type { DueRuns } from "../../store/runs/due-runs.ts";
import type { OpenRuns } from "../../store/runs/open.ts";
import type { DeletedRun, RunDeletion } from "../../store/runs/deletion.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { PurgeRun } from "./purge-run.ts";
import { runsToLookAt, type RunToLookAt } from "./runs-to-look-at.ts";
import { sendDueSlices, type SendParts } from "./send-due-slices.ts";
import { sweepLimits, sweepRoom } from "./sweep-room.ts";

/** A creation that takes longer than this is taken for dead; the function that does it lives half as long. */
const creationMilliseconds = 60_000;

/** How long a sweep begins to remove what deleted runs have left, after all that it did with the others. */
const burialMilliseconds = 20_000;

/** How long one of them gets: of many scores some are left, and others come. */
const burialTurn = 5_000;

/** How far sweeps have come in the list of deleted runs. */
export const burialPlace: CursorPlace = { table: "aggregates", name: "deleted-runs", kept: 3_600 };

/** Runs that are looked at at a time. */
const width = 4;

/** What has to be looked at so soon is not noted: the next sweep but one looks at it again anyway. */
const soonMilliseconds = 90_000;

/** What a sweep did. */
export interface Sweep {
  /** Runs that have not ended. */
  readonly open: number;
  /** Runs that had to be looked at, but for which there was no room: the next sweep begins with them. */
  readonly left: number;
  readonly removed: number;
  readonly ended: number;
  /** Slices that were sent. */
  readonly sent: number;
  /** Deleted runs of which nothing is left. */
  readonly buried: number;
}

export interface SweepParts extends SendParts {
  readonly openRuns: OpenRuns;
  readonly dueRuns: DueRuns;
  readonly runs: Runs;
  readonly deletion: Pick<RunDeletion, "list" | "find">;
  readonly purge: PurgeRun;
  /** Of `burialPlace`. */
  readonly buriedTo: Cursor;
}

/**
 * Wakes what has waited and repairs what a dead process left: sends the slices that are due, removes runs whose creation was
 * broken off, ends empty ones, and removes what deleted runs have left. What is due follows from each slice's own age: the
 * queue is not asked. A sweep does a bounded amount; who has waited longest is first, and what was looked at goes behind what
 * was left. Deleted runs have turns: a sweep begins behind the one that was begun last.
 *
 * @throws AggregateError when some runs could not be repaired, after all others were.
 */
export const sweep = async (parts: SweepParts, limits = sweepLimits): Promise<Sweep> => {
  const { openRuns, dueRuns, runs, deletion, purge, buriedTo, now } = parts;
  const room = sweepRoom(limits, now);
  const restless: Pick<RunToLookAt, "project" | "run">[] = [];
  const done = { left: 0, removed: 0, ended: 0, sent: 0, buried: 0 };

  const look = async ({ project, run, noted }: RunToLookAt): Promise<void> => {
    const stored = await runs.read(project, run);
    if (stored === null || isTerminal(stored.run.status)) {
      if (noted) await dueRuns.drop({ project, run });
    } else if (stored.creating) {
      const isDead = now() - epochOf(stored.run.order.createdAt) > creationMilliseconds;
      if (isDead && (await openRuns.removeUncommitted(stored))) done.removed += 1;
    } else if (stored.slices === 0) {
      await runs.endEmpty(stored);
      done.ended += 1;
    } else if (room.takeReads(stored.slices)) {
      const { sent, next } = await sendDueSlices(parts, stored, room);
      done.sent += sent;
      if (next > now() + soonMilliseconds) await dueRuns.note({ project, run, at: next });
      else restless.push({ project, run });
    } else {
      done.left += 1;
    }
  };

  const { open, toLookAt } = await runsToLookAt(openRuns, dueRuns, parts.queueIsEmpty ? Infinity : now());
  const looked = await inTurns(toLookAt, look, { until: room.until, now, width });
  done.left += toLookAt.length - looked.taken;
  const behind = await inTurns(done.left === 0 ? [] : restless, (run) => dueRuns.note({ ...run, at: now() }), {
    until: Number.POSITIVE_INFINITY,
    now,
    width,
  });
  // However many runs there are to look at, deleted ones go.
  const bury = async ({ project, run }: DeletedRun, until: number): Promise<void> => {
    const stored = await deletion.find(project, run);
    if (stored !== null && (await purge(stored, until))) done.buried += 1;
  };
  /** From behind the one that was begun last; that place is asked for only where there are any. */
  const deletedRuns = async function* (): AsyncGenerator<DeletedRun> {
    for await (const _ of deletion.list(null)) {
      yield* deletion.list(await buriedTo.get());
      return;
    }
  };
  const purged = await inTurns(deletedRuns(), bury, {
    until: now() + burialMilliseconds,
    now,
    turn: burialTurn,
    width,
    touch: async ({ place }) => {
      await buriedTo.set(place);
      return true;
    },
  });
  throwFailures(looked, "Runs that could not be repaired");
  throwFailures(behind, "Runs that could not be put behind the others");
  throwFailures(purged, "Deleted runs that could not be removed");
  return { open, ...done };
};
