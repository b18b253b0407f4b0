import { listDeletions } from "../../../../lib/contract/access/deletions.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { deletionReply } from "../../../../lib/http/access/deletion-reply.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { deletionStore } from "../../../../lib/store/deletion/deletions.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [deletions, members] = [deletionStore(database), memberStore(database)];

export const handler = endpoint(listDeletions, environmentUserGuard(database), async ({ params, paging, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const page = await deletions.ofOrganization(params.org_id, paging);
  return paging.page(page.items.map(deletionReply), page.total, page.last);
});
