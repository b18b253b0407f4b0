import { listSessionRunScores } from "../../../lib/contract/runs/session-runs.ts";
import { listRunScores } from "../../../lib/handlers/runs/list-run-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();

export const handler = endpoint(
  listSessionRunScores,
  environmentGuard(database),
  listRunScores(database, sessionScoreKind),
);
