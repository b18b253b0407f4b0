import { deleteSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { findRun } from "../../../lib/evaluation/read/find-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";

const database = connect();
const runs = runStore(database);
const deletion = runDeletion(database, runs);

export const handler = endpoint(deleteSessionRun, environmentGate(database), async ({ params, project, query }) => {
  const stored = await findRun(runs, project.id, params.run_id);
  if (!(await deletion.remove(stored, query.delete_scores))) throw notFound(`Eval run ${params.run_id} not found.`);
});
