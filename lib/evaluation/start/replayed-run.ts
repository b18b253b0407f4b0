import type { IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { newRun } from "../../domain/runs/new-run.ts";
import type { Run } from "../../domain/runs/run.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** The idempotency of a request that creates a run. */
export interface RunCreationRequest {
  /** True if the run's id is random: the request cannot be a replay. */
  readonly hasRandomIds: boolean;
  readonly idempotency: IdempotencyCheck;
}

/**
 * Returns the run that an earlier delivery of the same request created, as it was first returned. Targets are not searched
 * or validated again, since they may have changed.
 *
 * @returns the run; null if the request is new.
 * @throws Refusal `invalid` when the idempotency key was used with a different body.
 */
export const findReplayedRun = async (
  runs: Pick<Runs, "read">,
  { hasRandomIds, idempotency }: RunCreationRequest,
  project: string,
  id: string,
): Promise<Run | null> => {
  const storedRun = hasRandomIds ? null : await runs.read(project, id);
  if (storedRun === null || storedRun.isCreating) return null;
  idempotency.checkReplay(storedRun.bodyHash);
  return newRun(storedRun.run.order);
};
