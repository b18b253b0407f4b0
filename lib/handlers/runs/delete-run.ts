import type { deleteSessionRun } from "../../contract/runs/session-runs.ts";
import type { deleteTraceRun } from "../../contract/runs/trace-runs.ts";
import { notFound } from "../../domain/refusal.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { endpoint } from "../../http/endpoint.ts";
import { connect } from "../../dynamo/database.ts";
import { runDeletion } from "../../store/runs/deletion.ts";
import { runStore } from "../../store/runs/runs.ts";
import { environmentDeletionNotes } from "../../wiring/deletion-notes.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";

/** Creates the handler that deletes a run, with its scores if `delete_scores` is set. */
export const deleteRun = (route: typeof deleteTraceRun | typeof deleteSessionRun) => {
  const database = connect();
  const runs = runStore(database);
  const deletion = runDeletion(database, runs);
  const auditDeletion = environmentDeletionNotes(database);

  return endpoint(route, environmentGuard(database), async ({ params, project, principal, query }) => {
    const run = await findRun(runs, project.id, params.run_id);
    if (!(await deletion.remove(run, query.delete_scores))) throw notFound(`Eval run ${params.run_id} not found.`);
    await auditDeletion({ principal, project }, { action: "run.deleted", target: params.run_id, deleted: 1 });
  });
};
