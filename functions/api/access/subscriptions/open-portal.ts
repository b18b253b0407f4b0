import { openPortal } from "../../../../lib/contract/access/subscriptions.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { notFound } from "../../../../lib/domain/refusal.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const members = memberStore(database);

export const handler = endpoint(openPortal, environmentUserGuard(database), async ({ params, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  throw notFound("Nothing is charged here, so that there is no payment to manage.");
});
