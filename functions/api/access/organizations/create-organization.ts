import { createOrganization } from "../../../../lib/contract/access/organizations.ts";
import { forbidden } from "../../../../lib/domain/access/role.ts";
import { requiredNumber, variables } from "../../../../lib/wiring/environment.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { organizationReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const organizations = organizationStore(database);
const maxOrganizations = requiredNumber(variables.maxOwnedOrganizations);

export const handler = endpoint(
  createOrganization,
  environmentUserGuard(database),
  async ({ body, idFor, idempotency, user }) => {
    if (user.canCreateOrganizations === false)
      throw forbidden("You may not make organizations here. Ask to be invited into one.");
    const organization = await organizations.create(
      idFor("organization"),
      body.name,
      user.userId,
      maxOrganizations,
      idempotency,
    );
    if (organization === null) throw forbidden("Organization ownership limit reached.");
    return organizationReply(organization);
  },
);
