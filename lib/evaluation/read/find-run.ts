import { notFound } from "../../domain/refusal.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** Returns a run of a project by id, for either kind of target. @throws Refusal `not-found` when the run does not exist. */
export const findRun = async (runs: Pick<Runs, "read">, project: string, run: string): Promise<StoredRun> => {
  const storedRun = await runs.read(project, run);
  if (storedRun === null || storedRun.isCreating) throw notFound(`Eval run ${run} not found.`);
  return storedRun;
};
