import { listDeletions } from "../../../lib/contract/deletions.ts";
import { requireRole } from "../../../lib/domain/role.ts";
import { deletionReply } from "../../../lib/http/deletion-reply.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { connect } from "../../../lib/store/database.ts";
import { deletionStore } from "../../../lib/store/deletions.ts";
import { memberStore } from "../../../lib/store/members.ts";

const database = connect();
const [deletions, members] = [deletionStore(database), memberStore(database)];

export const handler = endpoint(listDeletions, environmentUserGate(database), async ({ params, query, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const page = await deletions.ofOrganization(params.org_id, query.limit, query.offset);
  return { ...page, items: page.items.map(deletionReply) };
});
