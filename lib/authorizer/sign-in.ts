import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import type { SignedIn, Users } from "../store/access/users.ts";

/** A user who was signed in is not looked for again within this time. */
const cacheMilliseconds = 5_000;
const cacheSize = 5_000;

interface Remembered {
  readonly user: SignedIn;
  readonly until: number;
}

/** The route that removes its caller: nobody becomes a user, with an organization, by asking not to be one. */
const isLeaving = ({ httpMethod, resource }: APIGatewayRequestAuthorizerEvent): boolean =>
  httpMethod === "DELETE" && resource === "/me";

/**
 * Signs users in as they come: whom nobody knows yet gets an organization, and the time and the address of the others are kept.
 *
 * @returns a function; it rejects when the user cannot be made known, or looked for, at the moment.
 */
export const signingIn = (users: Pick<Users, "signIn">, now: () => number = Date.now) => {
  const cache = new Map<string, Remembered>();

  const isKnown = ({ userId, email, displayName, mayOrganize }: SignedIn): boolean => {
    const known = cache.get(userId);
    return (
      known !== undefined &&
      known.until > now() &&
      known.user.email === email &&
      known.user.displayName === displayName &&
      known.user.mayOrganize === mayOrganize
    );
  };

  return async (user: SignedIn, event: APIGatewayRequestAuthorizerEvent): Promise<void> => {
    if (isLeaving(event)) {
      cache.delete(user.userId);
      return;
    }
    if (isKnown(user)) return;
    // From before the look: a removal that falls into it must not be missed for longer.
    const until = now() + cacheMilliseconds;
    await users.signIn(user);
    if (cache.size >= cacheSize) cache.clear();
    cache.set(user.userId, { user, until });
  };
};
