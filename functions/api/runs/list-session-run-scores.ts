import { listSessionRunScores } from "../../../lib/contract/runs/session-runs.ts";
import { listRunScores } from "../../../lib/handlers/runs/list-run-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const database = connect();

export const handler = endpoint(
  listSessionRunScores,
  environmentGate(database),
  listRunScores(database, sessionScores),
);
