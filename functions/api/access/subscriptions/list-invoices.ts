import { listInvoices } from "../../../../lib/contract/access/subscriptions.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const members = memberStore(database);

export const handler = endpoint(listInvoices, environmentUserGuard(database), async ({ params, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  return Array.of<never>();
});
