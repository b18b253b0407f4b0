import { derivedUuid } from "../../domain/access/identity.ts";
import { absent, type AccessWrite } from "./items.ts";
import { organizationKey } from "./keys.ts";
import { joining } from "./membership-writes.ts";
import { firstProject, projectItems } from "./project-writes.ts";

const name = "My Organization";

/**
 * The items of the organization that signing in makes, with its project and its owner's membership. The user's own item,
 * which counts the membership, is the caller's to write.
 *
 * @param made how many organizations were made for that user before: the same number makes the same organization.
 */
export const firstOrganization = (userId: string, made: number, createdAt: string): readonly AccessWrite[] => {
  const organizationId = derivedUuid("organization", userId, String(made));
  const projectId = derivedUuid("project", organizationId, firstProject.name);
  const [member, membership] = joining({ organizationId, userId, role: "OWNER", createdAt });
  return [
    { put: { ...organizationKey(organizationId), name, projects: 1, owners: 1, created_at: createdAt }, when: absent },
    member,
    membership,
    ...projectItems({ id: projectId, organizationId, ...firstProject, createdAt }),
  ];
};
