import * as v from "valibot";
import { awaitAll } from "../../async/concurrency.ts";
import { uuid } from "../../contract/schema/fields.ts";
import { clientLimit } from "../../contract/limits.ts";
import { unauthenticated } from "../../domain/refusal.ts";
import { requireMember } from "../../domain/access/role.ts";
import type { Members } from "../../store/access/members.ts";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import { optionalHeader, uuidHeader } from "../event.ts";
import type { AccessGuard, Exchange, UserCaller } from "../exchange.ts";
import { callerContext } from "./principal-context.ts";
import { type Bounds, planRate, requestCounter } from "./limits.ts";

const organizationHeader = "X-Organization-ID";

/**
 * Returns the access guard of the management routes, which accept bearer tokens only. Handlers of routes with an organization
 * in their path check the caller's role themselves; on other routes `X-Organization-ID` may name the organization.
 *
 * @param factor multiplier of every rate limit; 1 is the contract.
 */
export const userGuard = (
  members: Pick<Members, "role">,
  limits: RateLimits,
  factor: number,
  bounds: Bounds | null = null,
): AccessGuard<UserCaller> => {
  const count = requestCounter(limits, factor);

  const organizationInHeader = async ({ event, route }: Exchange, userId: string): Promise<string | null> => {
    const headerValue = route.path.includes("{org_id}") ? null : optionalHeader(event, organizationHeader);
    if (headerValue === null) return null;
    const organizationId = uuidHeader(organizationHeader, headerValue);
    requireMember(await members.role(organizationId, userId));
    return organizationId;
  };

  /** Counts a request against the organization's ceiling, only for members: others cannot use up the ceiling. */
  const countForOrganization = async (exchange: Exchange, userId: string): Promise<void> => {
    if (bounds === null || clientLimit(exchange.route) === undefined) return;
    // A malformed id is refused later, when the path is validated.
    const { success, output: organizationId } = v.safeParse(uuid, exchange.event.pathParameters?.["org_id"]);
    if (success && (await members.role(organizationId, userId)) !== null)
      await bounds.countForOrganization(organizationId, exchange);
  };

  return {
    admit: async (exchange) => {
      const verified = v.parse(callerContext, exchange.event.requestContext.authorizer);
      if (verified.kind === "key") {
        exchange.rateStates.push(planRate(factor));
        throw unauthenticated("Bearer token required. Provide Authorization: Bearer <token>.");
      }
      const { kind: _, ...user } = verified;
      const rateCheck = count(`user#${user.userId}`, exchange);
      const organization = organizationInHeader(exchange, user.userId);
      await awaitAll<unknown>([rateCheck, organization]);
      await countForOrganization(exchange, user.userId);
      const principal = { kind: "user", userId: user.userId } as const;
      return { principal, user, organizationId: await organization };
    },
  };
};
