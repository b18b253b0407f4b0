import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { allEnded } from "../async/all-ended.ts";
import { uuid } from "../contract/fields.ts";
import { limitOf } from "../contract/limits.ts";
import type { Route } from "../contract/route.ts";
import type { Principal } from "../domain/access/principal.ts";
import { unauthenticated } from "../domain/refusal.ts";
import { requireRole } from "../domain/access/role.ts";
import type { Members } from "../store/access/members.ts";
import type { RateLimits } from "../store/limits/rate-limits.ts";
import type { SignedIn } from "../store/access/users.ts";
import type { Bounds } from "./limits/bounds.ts";
import type { Gate } from "./gate.ts";
import { optionalHeader, uuidIn } from "./one-header.ts";
import { verifiedOf } from "./principal-context.ts";
import { guardOf, noteRate } from "./limits/rate-state.ts";
import { requestCount } from "./limits/request-count.ts";

/** The user who is asking. */
export interface UserCaller {
  readonly principal: Principal;
  readonly user: SignedIn;
  /** The organization that `X-Organization-ID` names, of which the user is a member; null without that header. */
  readonly organizationId: string | null;
}

const organizationHeader = "X-Organization-ID";

/**
 * The gate of the management routes: bearer tokens only. Routes with an organization in their path take it from there and
 * check the caller's role themselves; on the others the header names it.
 *
 * @param factor on every limit; 1 is the contract.
 */
export const userGate = (
  members: Pick<Members, "role">,
  limits: RateLimits,
  factor: number,
  bounds: Bounds | null = null,
): Gate<UserCaller> => {
  const count = requestCount(limits, factor);

  const namedOrganization = async (
    event: APIGatewayProxyEvent,
    route: Route,
    userId: string,
  ): Promise<string | null> => {
    const named = route.path.includes("{org_id}") ? null : optionalHeader(event, organizationHeader);
    if (named === null) return null;
    const organizationId = uuidIn(organizationHeader, named);
    requireRole(await members.role(organizationId, userId));
    return organizationId;
  };

  /** Only members fill the ceiling of the organization that a path names. */
  const countedForOrganization = async (event: APIGatewayProxyEvent, route: Route, userId: string): Promise<void> => {
    if (bounds === null || limitOf(route) === undefined) return;
    // What is no id names nobody's organization; it is refused with all else that is wrong.
    const { success, output: named } = v.safeParse(uuid, event.pathParameters?.["org_id"]);
    if (success && (await members.role(named, userId)) !== null) await bounds.organization(named, route, event);
  };

  return {
    admit: async (event, route) => {
      const verified = v.parse(verifiedOf, event.requestContext.authorizer);
      if (verified.kind === "key") {
        noteRate(event, guardOf(factor));
        throw unauthenticated("Bearer token required. Provide Authorization: Bearer <token>.");
      }
      const { kind: _, ...user } = verified;
      const counted = count(`user#${user.userId}`, route, event);
      const organization = namedOrganization(event, route, user.userId);
      await allEnded<unknown>([counted, organization]);
      await countedForOrganization(event, route, user.userId);
      const principal = { kind: "user", userId: user.userId } as const;
      return { principal, user, organizationId: await organization };
    },
  };
};
