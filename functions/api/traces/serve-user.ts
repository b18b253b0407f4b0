import { eraseUser, exportUser } from "../../../lib/contract/access/trace-users.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { userExport } from "../../../lib/handlers/traces/export-user.ts";
import { deletionReply } from "../../../lib/http/access/deletion-reply.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { userErasures } from "../../../lib/store/deletion/user-erasures.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const requestErasure = userErasures(database);
const guard = environmentGuard(database);

/** Answers the routes about all data of a user. */
export const handler = sharedEndpoint(
  endpoint(eraseUser, guard, async ({ principal, project, query }) =>
    deletionReply(await requestErasure(principal, project, query.user_id)),
  ),
  endpoint(exportUser, guard, userExport(database)),
);
