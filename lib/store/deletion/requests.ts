import { instantAt } from "../../domain/instant.ts";
import type { Project } from "../../domain/access/principal.ts";
import { accessItems, ifNotDeleted } from "../access/items.ts";
import { organizationKey, projectKey, projectNameKey } from "../access/keys.ts";
import { auditWrite } from "../access/audit-writes.ts";
import type { Database } from "../../dynamo/database.ts";
import { deletionWrites } from "./writes.ts";
import { leaveWrites } from "../access/membership-writes.ts";
import type { Organization } from "../access/organizations.ts";

/** Makes deleted projects and organizations unreachable at once; background workers delete their data. */
export interface DeletionRequests {
  /**
   * Requests the deletion of a project.
   *
   * @param inOrganization false when the project's organization is deleted, too.
   * @returns false when the project is gone or was renamed.
   */
  ofProject(project: Project, userId: string, inOrganization?: boolean): Promise<boolean>;
  /**
   * Requests the deletion of an organization, and ends the requesting owner's membership.
   *
   * @param isOwner false for the operator, who is no member.
   * @returns false when the organization is gone, or the user is no longer an owner.
   */
  ofOrganization(organization: Organization, userId: string, isOwner?: boolean): Promise<boolean>;
}

export const deletionRequests = (database: Database, now: () => number = Date.now): DeletionRequests => {
  const { write } = accessItems(database);

  return {
    ofProject: async ({ id, organizationId, name }, userId, inOrganization = true) => {
      const requestedAt = instantAt(now());
      const failedWrites = await write([
        {
          update: projectKey(id),
          change: "SET deleted_at = :at",
          when: `${ifNotDeleted} AND #name = :name`,
          values: { ":at": requestedAt, ":name": name },
        },
        { remove: projectNameKey(organizationId, name), when: "#project = :id", values: { ":id": id } },
        ...deletionWrites({
          id,
          kind: "PROJECT",
          name,
          projectId: null,
          organizationId,
          requestedBy: userId,
          requestedAt,
        }),
        ...(inOrganization
          ? [
              {
                update: organizationKey(organizationId),
                change: "ADD projects :less",
                when: ifNotDeleted,
                values: { ":less": -1 },
              },
              auditWrite(
                {
                  organizationId,
                  actor: { kind: "user", userId },
                  action: "project.deleted" as const,
                  target: id,
                  details: { name },
                },
                now(),
              ),
            ]
          : []),
      ]);
      return failedWrites.size === 0;
    },

    ofOrganization: async ({ id, name }, userId, isOwner = true) => {
      const requestedAt = instantAt(now());
      const failedWrites = await write([
        {
          update: organizationKey(id),
          change: "SET deleted_at = :at",
          when: ifNotDeleted,
          values: { ":at": requestedAt },
        },
        ...(isOwner ? leaveWrites({ organizationId: id, userId, role: "OWNER", createdAt: "" }) : []),
        ...deletionWrites({
          id,
          kind: "ORGANIZATION",
          name,
          projectId: null,
          organizationId: id,
          requestedBy: userId,
          requestedAt,
        }),
      ]);
      return failedWrites.size === 0;
    },
  };
};
