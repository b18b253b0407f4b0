import { createOrganization } from "../../../../lib/contract/access/organizations.ts";
import { forbidden } from "../../../../lib/domain/access/role.ts";
import { requiredNumber, variables } from "../../../../lib/wiring/environment.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { organizationReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/store/database.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const organizations = organizationStore(database);
const most = requiredNumber(variables.maxOwnedOrganizations);

export const handler = endpoint(
  createOrganization,
  environmentUserGate(database),
  async ({ body, mint, repeat, user }) => {
    if (user.mayOrganize === false) throw forbidden("You may not make organizations here. Ask to be invited into one.");
    const made = await organizations.create(mint("organization"), body.name, user.userId, most, repeat);
    if (made === null) throw forbidden("Organization ownership limit reached.");
    return organizationReply(made);
  },
);
