import type { Repeat } from "../../domain/repeat.ts";
import { newRun } from "../../domain/runs/new-run.ts";
import type { Run } from "../../domain/runs/run.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** What a request says by which it would be known. */
export interface Repeatable {
  /** Nobody can have sent it before. */
  readonly mintsAnew: boolean;
  readonly repeat: Repeat;
}

/**
 * The run that a request has started when it came before, as it was answered then: nothing is looked for or checked again, for
 * what is there may be another by now.
 *
 * @returns null for a request that comes for the first time.
 * @throws Refusal `invalid` when its key came with another body.
 */
export const startedBefore = async (
  runs: Pick<Runs, "read">,
  { mintsAnew, repeat }: Repeatable,
  project: string,
  id: string,
): Promise<Run | null> => {
  const stored = mintsAnew ? null : await runs.read(project, id);
  if (stored === null || stored.creating) return null;
  repeat.met(stored.bodyHash);
  return newRun(stored.run.order);
};
