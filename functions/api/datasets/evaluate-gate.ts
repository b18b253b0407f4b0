import { evaluateGate } from "../../../lib/contract/experiments/gates.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { gateEvaluation } from "../../../lib/handlers/experiments/gate.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();

export const handler = endpoint(evaluateGate, environmentGuard(database), gateEvaluation(database));
