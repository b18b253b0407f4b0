import { approveExperiment } from "../../../lib/contract/experiments/approval.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { experimentApproval } from "../../../lib/handlers/experiments/approve.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();

export const handler = endpoint(approveExperiment, environmentGuard(database), experimentApproval(database));
