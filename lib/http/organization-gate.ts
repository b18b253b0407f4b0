import * as v from "valibot";
import { allEnded } from "../async/all-ended.ts";
import { type KeyScope, requirePermission } from "../domain/access/key-scope.ts";
import type { Principal } from "../domain/access/principal.ts";
import { unauthenticated } from "../domain/refusal.ts";
import { notMember, requireRole } from "../domain/access/role.ts";
import type { Members } from "../store/access/members.ts";
import type { Organizations } from "../store/access/organizations.ts";
import type { RateLimits } from "../store/limits/rate-limits.ts";
import type { Gate } from "./gate.ts";
import { optionalHeader, uuidIn } from "./one-header.ts";
import { verifiedOf } from "./principal-context.ts";
import { requestCount } from "./limits/request-count.ts";

/** Who asks about an organization. */
export interface OrganizationCaller {
  readonly principal: Principal;
  readonly organizationId: string;
  /** The one project that the caller reaches; null: all of the organization's. */
  readonly onlyProject: string | null;
  /** What the caller's key may do; null: it is a user. */
  readonly keyAccess: KeyScope["access"] | null;
}

const organizationHeader = "X-Organization-ID";

/**
 * The gate of routes about what a caller reaches: an API key's organization, or the one that a user names or has belonged to
 * for longest.
 *
 * @param factor on every limit; 1 is the contract.
 */
export const organizationGate = (
  organizations: Pick<Organizations, "find" | "oldest">,
  members: Pick<Members, "role">,
  limits: RateLimits,
  factor: number,
): Gate<OrganizationCaller> => {
  const count = requestCount(limits, factor);

  const requireOrganization = async (id: string): Promise<void> => {
    if ((await organizations.find(id)) === null)
      throw unauthenticated("Organization associated with API key not found.");
  };

  const organizationOf = async (userId: string, named: string | null): Promise<string> => {
    if (named === null) {
      const oldest = await organizations.oldest(userId);
      if (oldest === null) throw notMember();
      return oldest;
    }
    const id = uuidIn(organizationHeader, named);
    requireRole(await members.role(id, userId));
    return id;
  };

  return {
    admit: async (event, route) => {
      const verified = v.parse(verifiedOf, event.requestContext.authorizer);
      if (verified.kind === "key") {
        const { keyId, organizationId, scope } = verified;
        const permitted = async () => requirePermission(scope, route.permission);
        await allEnded<unknown>([
          count(`key#${keyId}`, route, event),
          permitted(),
          requireOrganization(organizationId),
        ]);
        return {
          principal: { kind: "key", keyId, organizationId },
          organizationId,
          onlyProject: scope.projectId,
          keyAccess: scope.access,
        };
      }
      const { userId } = verified;
      const named = async () => organizationOf(userId, optionalHeader(event, organizationHeader));
      const organization = named();
      await allEnded<unknown>([count(`user#${userId}`, route, event), organization]);
      return {
        principal: { kind: "user", userId },
        organizationId: await organization,
        onlyProject: null,
        keyAccess: null,
      };
    },
  };
};
