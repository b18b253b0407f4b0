import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { awaitAll } from "../async/await-all.ts";
import { uuid } from "../contract/schema/fields.ts";
import { clientLimit } from "../contract/limits.ts";
import type { Route } from "../contract/route.ts";
import type { Principal } from "../domain/access/principal.ts";
import { unauthenticated } from "../domain/refusal.ts";
import { requireRole } from "../domain/access/role.ts";
import type { Members } from "../store/access/members.ts";
import type { RateLimits } from "../store/limits/rate-limits.ts";
import type { SignedInUser } from "../store/access/users.ts";
import type { Bounds } from "./limits/bounds.ts";
import type { AccessGuard } from "./access-guard.ts";
import { optionalHeader, uuidHeader } from "./single-header.ts";
import { callerContext } from "./principal-context.ts";
import { planRate, setRateState } from "./limits/rate-state.ts";
import { requestCounter } from "./limits/request-count.ts";

/** The signed-in user who sends a request. */
export interface UserCaller {
  readonly principal: Principal;
  readonly user: SignedInUser;
  /** Organization id in `X-Organization-ID`, of which the user is a member; null without the header. */
  readonly organizationId: string | null;
}

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

  const organizationInHeader = async (
    event: APIGatewayProxyEvent,
    route: Route,
    userId: string,
  ): Promise<string | null> => {
    const headerValue = route.path.includes("{org_id}") ? null : optionalHeader(event, organizationHeader);
    if (headerValue === null) return null;
    const organizationId = uuidHeader(organizationHeader, headerValue);
    requireRole(await members.role(organizationId, userId));
    return organizationId;
  };

  /** Counts a request against the organization's ceiling, only for members: others cannot use up the ceiling. */
  const countForOrganization = async (event: APIGatewayProxyEvent, route: Route, userId: string): Promise<void> => {
    if (bounds === null || clientLimit(route) === undefined) return;
    // A malformed id is refused later, when the path is validated.
    const { success, output: organizationId } = v.safeParse(uuid, event.pathParameters?.["org_id"]);
    if (success && (await members.role(organizationId, userId)) !== null)
      await bounds.countForOrganization(organizationId, route, event);
  };

  return {
    admit: async (event, route) => {
      const verified = v.parse(callerContext, event.requestContext.authorizer);
      if (verified.kind === "key") {
        setRateState(event, planRate(factor));
        throw unauthenticated("Bearer token required. Provide Authorization: Bearer <token>.");
      }
      const { kind: _, ...user } = verified;
      const rateCheck = count(`user#${user.userId}`, route, event);
      const organization = organizationInHeader(event, route, user.userId);
      await awaitAll<unknown>([rateCheck, organization]);
      await countForOrganization(event, route, user.userId);
      const principal = { kind: "user", userId: user.userId } as const;
      return { principal, user, organizationId: await organization };
    },
  };
};
