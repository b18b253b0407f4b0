import { derivedUuid, randomId } from "../../domain/access/identity.ts";
import { ifAbsent, type Write } from "../../dynamo/items.ts";
import { organizationKey } from "./keys.ts";
import { joinWrites } from "./membership-writes.ts";
import { firstProject, projectItems } from "./project-writes.ts";

const name = "My Organization";

/**
 * Writes of the organization that a first sign-in creates, with its project and owner membership. The caller writes
 * the user's own item, which counts memberships, on condition that it counts none: so concurrent sign-ins create one
 * organization. The id is random, so that a removed user who signs in again gets nothing of their previous
 * organization.
 */
export const firstOrganization = (userId: string, createdAt: string): readonly Write[] => {
  const organizationId = randomId();
  const projectId = derivedUuid("project", organizationId, firstProject.name);
  const [member, membership] = joinWrites({ organizationId, userId, role: "OWNER", createdAt });
  return [
    {
      put: { ...organizationKey(organizationId), name, projects: 1, owners: 1, created_at: createdAt },
      when: ifAbsent,
    },
    member,
    membership,
    ...projectItems({ id: projectId, organizationId, ...firstProject, createdAt }),
  ];
};
