import * as v from "valibot";
import { awaitAll } from "../../async/concurrency.ts";
import { requireMemberPermission, requirePermission } from "../../domain/access/key-scope.ts";
import { unauthenticated } from "../../domain/refusal.ts";
import { notMember, requireMember } from "../../domain/access/role.ts";
import type { Members } from "../../store/access/members.ts";
import type { Organizations } from "../../store/access/organizations.ts";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import { optionalHeader, uuidHeader } from "../event.ts";
import type { AccessGuard, Exchange, OrganizationCaller } from "../exchange.ts";
import { callerContext } from "./principal-context.ts";
import { requestCounter } from "./limits.ts";

const organizationHeader = "X-Organization-ID";

/**
 * Returns the access guard of routes about the caller's organization: that of the API key, or for a user the organization in
 * `X-Organization-ID` or else that of the oldest membership.
 *
 * @param factor multiplier of every rate limit; 1 is the contract.
 */
export const organizationGuard = (
  organizations: Pick<Organizations, "find" | "oldest">,
  members: Pick<Members, "role">,
  limits: RateLimits,
  factor: number,
): AccessGuard<OrganizationCaller> => {
  const count = requestCounter(limits, factor);

  const requireOrganization = async (id: string): Promise<void> => {
    if ((await organizations.find(id)) === null)
      throw unauthenticated("Organization associated with API key not found.");
  };

  const organizationOf = async (userId: string, { event, route }: Exchange): Promise<string> => {
    const headerValue = optionalHeader(event, organizationHeader);
    const id = headerValue === null ? await organizations.oldest(userId) : uuidHeader(organizationHeader, headerValue);
    if (id === null) throw notMember();
    requireMemberPermission(requireMember(await members.role(id, userId)), route.permission);
    return id;
  };

  return {
    admit: async (exchange) => {
      const { event, route } = exchange;
      const verified = v.parse(callerContext, event.requestContext.authorizer);
      if (verified.kind === "key") {
        const { keyId, organizationId, scope } = verified;
        const permitted = async () => requirePermission(scope, route.permission);
        await awaitAll<unknown>([count(`key#${keyId}`, exchange), permitted(), requireOrganization(organizationId)]);
        return {
          principal: { kind: "key", keyId, organizationId },
          organizationId,
          onlyProject: scope.projectId,
          keyAccess: scope.access,
        };
      }
      const { userId } = verified;
      const organization = organizationOf(userId, exchange);
      await awaitAll<unknown>([count(`user#${userId}`, exchange), organization]);
      return {
        principal: { kind: "user", userId },
        organizationId: await organization,
        onlyProject: null,
        keyAccess: null,
      };
    },
  };
};
