import { instantAt } from "../../domain/instant.ts";
import type { Project } from "../../domain/access/principal.ts";
import { accessItems, alive } from "../access/items.ts";
import { organizationKey, projectKey, projectNameKey } from "../access/keys.ts";
import { auditWrite } from "../access/audit-writes.ts";
import type { Database } from "../database.ts";
import { beginning } from "./writes.ts";
import { leaving } from "../access/membership-writes.ts";
import type { Organization } from "../access/organizations.ts";

/** Hides what is deleted from one moment to the next, and leaves the removal to the background. */
export interface DeletionRequests {
  /** @param inOrganization false when its organization is deleted, too. @returns false when it is gone or was renamed. */
  ofProject(project: Project, by: string, inOrganization?: boolean): Promise<boolean>;
  /** @param by an owner, who is a member no more. @returns false when it is gone, or `by` is no owner any more. */
  ofOrganization(organization: Organization, by: string): Promise<boolean>;
}

export const deletionRequests = (database: Database, now: () => number = Date.now): DeletionRequests => {
  const { write } = accessItems(database);

  return {
    ofProject: async ({ id, organizationId, name }, by, inOrganization = true) => {
      const requestedAt = instantAt(now());
      const failed = await write([
        {
          update: projectKey(id),
          change: "SET deleted_at = :at",
          when: `${alive} AND #name = :name`,
          values: { ":at": requestedAt, ":name": name },
        },
        { remove: projectNameKey(organizationId, name), when: "#project = :id", values: { ":id": id } },
        ...beginning({ id, kind: "PROJECT", name, organizationId, requestedBy: by, requestedAt }),
        ...(inOrganization
          ? [
              {
                update: organizationKey(organizationId),
                change: "ADD projects :less",
                when: alive,
                values: { ":less": -1 },
              },
              auditWrite(
                {
                  organizationId,
                  by: { kind: "user", userId: by },
                  action: "project.deleted" as const,
                  target: id,
                  details: { name },
                },
                now(),
              ),
            ]
          : []),
      ]);
      return failed.size === 0;
    },

    ofOrganization: async ({ id, name }, by) => {
      const requestedAt = instantAt(now());
      const failed = await write([
        {
          update: organizationKey(id),
          change: "SET deleted_at = :at",
          when: alive,
          values: { ":at": requestedAt },
        },
        ...leaving({ organizationId: id, userId: by, role: "OWNER", createdAt: "" }),
        ...beginning({ id, kind: "ORGANIZATION", name, organizationId: id, requestedBy: by, requestedAt }),
      ]);
      return failed.size === 0;
    },
  };
};
