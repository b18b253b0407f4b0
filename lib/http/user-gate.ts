import * as v from "valibot";
import type { Principal } from "../domain/access/principal.ts";
import { unauthenticated } from "../domain/refusal.ts";
import { requireRole } from "../domain/access/role.ts";
import type { Members } from "../store/access/members.ts";
import type { RateLimits } from "../store/access/rate-limits.ts";
import type { SignedIn, Users } from "../store/access/users.ts";
import type { Gate } from "./gate.ts";
import { optionalHeader, uuidIn } from "./one-header.ts";
import { verifiedOf } from "./principal-context.ts";
import { remembering } from "./remembering.ts";
import { requestCount } from "./request-count.ts";

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
  users: Pick<Users, "signIn">,
  members: Pick<Members, "role">,
  limits: RateLimits,
  factor: number,
  now: () => number = Date.now,
): Gate<UserCaller> => {
  const signedIn = remembering<void>(now);
  const count = requestCount(limits, factor);

  return {
    admit: async (event, route) => {
      const verified = v.parse(verifiedOf, event.requestContext.authorizer);
      if (verified.kind === "key") {
        throw unauthenticated("Bearer token required. Provide Authorization: Bearer <token>.");
      }
      const { kind: _, ...user } = verified;
      await count(`user#${user.userId}`, route);
      await signedIn([user.userId, user.email, user.displayName], () => users.signIn(user));
      const named = route.path.includes("{org_id}") ? null : optionalHeader(event, organizationHeader);
      const principal = { kind: "user", userId: user.userId } as const;
      if (named === null) return { principal, user, organizationId: null };
      const organizationId = uuidIn(organizationHeader, named);
      requireRole(await members.role(organizationId, user.userId));
      return { principal, user, organizationId };
    },
  };
};
