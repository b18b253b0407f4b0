import { epochOf } from "../domain/instant.ts";
import { isTerminal } from "../domain/run.ts";
import type { JudgeQueue } from "../queue/judge-queue.ts";
import type { OpenRuns } from "../store/open-runs.ts";
import type { StoredRun } from "../store/run-codec.ts";
import type { Runs } from "../store/runs.ts";
import type { StoredSlice } from "../store/slice-codec.ts";

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
}

const isLost = ({ slice, epoch, until }: StoredSlice, createdAt: number, now: number): boolean =>
  slice.state === "open" && (epoch === 0 ? now - createdAt > creationMilliseconds : now - until > graceMilliseconds);

/**
 * Repairs what a dead process left: removes runs whose creation was broken off, ends empty ones, and sends slices again
 * that nobody holds. While messages wait in the queue none is taken for lost.
 *
 * @throws AggregateError when some runs could not be repaired, after all others were.
 */
export const sweep = async (
  openRuns: OpenRuns,
  runs: Runs,
  queue: JudgeQueue,
  now: () => number = Date.now,
): Promise<Sweep> => {
  const done = { open: 0, removed: 0, ended: 0, sent: 0 };
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
    const lost = slices.filter((slice) => isLost(slice, createdAt, now()));
    await queue.send(lost.map(({ slice }) => ({ project: order.projectId, run: order.id, slice: slice.id })));
    done.sent += lost.length;
  };

  const failures: unknown[] = [];
  for await (const { project, run } of openRuns.list()) {
    try {
      const stored = await runs.read(project, run);
      if (stored !== null) await repair(stored);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    const runsOf = failures.length === 1 ? "1 run" : `${failures.length} runs`;
    throw new AggregateError(failures, `${runsOf} could not be repaired.`);
  }
  return done;
};
