import { notFound } from "../../domain/refusal.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** A run of a project, of traces or of sessions. @throws Refusal `not-found` when there is none. */
export const findRun = async (runs: Pick<Runs, "read">, project: string, run: string): Promise<StoredRun> => {
  const stored = await runs.read(project, run);
  if (stored === null || stored.creating) throw notFound(`Eval run ${run} not found.`);
  return stored;
};
