import { getMe } from "../../../../lib/contract/access/me.ts";
import { userRemovedRefusal } from "../../../../lib/domain/access/membership.ts";
import { instantAt } from "../../../../lib/domain/instant.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";
import { userStore } from "../../../../lib/store/access/users.ts";

const database = connect();
const [users, organizations] = [userStore(database), organizationStore(database)];

export const handler = endpoint(getMe, environmentUserGuard(database), async ({ user, organizationId }) => {
  const [usersById, oldest] = await Promise.all([
    users.findMany([user.userId]),
    organizationId ?? organizations.oldest(user.userId),
  ]);
  const me = usersById.get(user.userId);
  if (me === undefined) throw userRemovedRefusal();
  return {
    id: me.id,
    email: me.email,
    display_name: me.displayName,
    organization_id: oldest,
    created_at: me.createdAt,
    last_sign_in_at: me.lastSignInAt === null ? null : instantAt(me.lastSignInAt),
  };
});
