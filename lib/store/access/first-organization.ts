import { derivedUuid, randomId } from "../../domain/access/identity.ts";
import { absent, type AccessWrite } from "./items.ts";
import { organizationKey } from "./keys.ts";
import { joining } from "./membership-writes.ts";
import { firstProject, projectItems } from "./project-writes.ts";

const name = "My Organization";

/**
 * The items of the organization that signing in makes, with its project and its owner's membership. The user's own item,
 * which counts the membership, is the caller's to write, on condition that there is none yet: that makes it one. Its id is
 * nobody's before: of a user who was removed and comes again nothing leads to what they had.
 */
export const firstOrganization = (userId: string, createdAt: string): readonly AccessWrite[] => {
  const organizationId = randomId();
  const projectId = derivedUuid("project", organizationId, firstProject.name);
  const [member, membership] = joining({ organizationId, userId, role: "OWNER", createdAt });
  return [
    { put: { ...organizationKey(organizationId), name, projects: 1, owners: 1, created_at: createdAt }, when: absent },
    member,
    membership,
    ...projectItems({ id: projectId, organizationId, ...firstProject, createdAt }),
  ];
};
