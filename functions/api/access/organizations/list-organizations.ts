import { listOrganizations } from "../../../../lib/contract/access/organizations.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { memberOrganizationReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const organizations = organizationStore(database);

export const handler = endpoint(listOrganizations, environmentUserGuard(database), async ({ paging, user }) => {
  const page = await organizations.page(user.userId, paging);
  return paging.list(
    page.items.map((organization) => memberOrganizationReply(organization, organization.role)),
    page.total,
    page.last,
  );
});
