import { eraseUser } from "../../../lib/contract/access/trace-users.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { deletionReply } from "../../../lib/http/access/deletion-reply.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { userErasures } from "../../../lib/store/deletion/user-erasures.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const requestErasure = userErasures(database);

export const handler = endpoint(eraseUser, environmentGuard(database), async ({ principal, project, query }) =>
  deletionReply(await requestErasure(principal, project, query.user_id)),
);
