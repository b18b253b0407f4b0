import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import type { SignedInUser, Users } from "../store/access/users.ts";

/** Time during which a recorded sign-in of the same user is not recorded again. */
const cacheMilliseconds = 5_000;
const cacheSize = 5_000;

/** A user whose sign-in was recorded, cached until a time in epoch milliseconds. */
interface CachedUser {
  readonly user: SignedInUser;
  readonly until: number;
}

/** True for `DELETE /me`, which removes its caller: this request must not create the user. */
const isSelfDeletion = ({ httpMethod, resource }: APIGatewayRequestAuthorizerEvent): boolean =>
  httpMethod === "DELETE" && resource === "/me";

/**
 * Records sign-ins of verified users: creates a new user with an organization, or updates e-mail address and sign-in time.
 *
 * @returns a function that rejects when the database is unavailable.
 */
export const signInRecorder = (users: Pick<Users, "signIn">, now: () => number = Date.now) => {
  const cache = new Map<string, CachedUser>();

  const isCached = ({ userId, email, displayName, canCreateOrganizations }: SignedInUser): boolean => {
    const cachedUser = cache.get(userId);
    return (
      cachedUser !== undefined &&
      cachedUser.until > now() &&
      cachedUser.user.email === email &&
      cachedUser.user.displayName === displayName &&
      cachedUser.user.canCreateOrganizations === canCreateOrganizations
    );
  };

  return async (user: SignedInUser, event: APIGatewayRequestAuthorizerEvent): Promise<void> => {
    if (isSelfDeletion(event)) {
      cache.delete(user.userId);
      return;
    }
    if (isCached(user)) return;
    // Counted from before the write: a removal during the write must not be missed for longer than 5 seconds.
    const until = now() + cacheMilliseconds;
    await users.signIn(user);
    if (cache.size >= cacheSize) cache.clear();
    cache.set(user.userId, { user, until });
  };
};
