import { listMembers } from "../../../../lib/contract/access/members.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { membershipReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { userStore } from "../../../../lib/store/access/users.ts";

const database = connect();
const [users, members] = [userStore(database), memberStore(database)];

export const handler = endpoint(listMembers, environmentUserGuard(database), async ({ params, paging, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const { items, ...page } = await members.page(params.org_id, paging);
  const usersById = await users.findMany(items.map(({ userId }) => userId));
  return paging.list(
    items.map((each) => membershipReply(each, usersById.get(each.userId))),
    page.total,
    page.last,
  );
});
