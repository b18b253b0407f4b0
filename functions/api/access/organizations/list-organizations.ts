import { listOrganizations } from "../../../../lib/contract/access/organizations.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { ownOrganizationReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/store/database.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const organizations = organizationStore(database);

export const handler = endpoint(listOrganizations, environmentUserGate(database), async ({ paging, user }) => {
  const page = await organizations.page(user.userId, paging);
  return paging.list(
    page.items.map((own) => ownOrganizationReply(own, own.role)),
    page.total,
    page.last,
  );
});
