import { listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import { listRunScores } from "../../../lib/handlers/runs/list-run-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const database = connect();

export const handler = endpoint(listTraceRunScores, environmentGate(database), listRunScores(database, traceScores));
