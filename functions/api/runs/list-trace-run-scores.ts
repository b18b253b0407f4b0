import { listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import { pageOf } from "../../../lib/domain/page.ts";
import { findRun } from "../../../lib/evaluation/read/find-run.ts";
import { scoresOfRun } from "../../../lib/evaluation/read/scores-of-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { connect } from "../../../lib/store/database.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";

const database = connect();
const [runs, scores] = [runStore(database), runScores(database, traceScores)];

export const handler = endpoint(listTraceRunScores, environmentGate(database), async ({ params, project, query }) => {
  const stored = await findRun(runs, project.id, params.run_id);
  const all = scoresOfRun(stored, runs, scores);
  if (query.limit === undefined && query.offset === undefined) return new JsonArray(all);
  return await pageOf(all, query.limit ?? 50, query.offset ?? 0);
});
