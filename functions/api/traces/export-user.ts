import { exportUser } from "../../../lib/contract/access/trace-users.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { userExport } from "../../../lib/handlers/traces/export-user.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();

export const handler = endpoint(exportUser, environmentGuard(database), userExport(database));
