import { derivedUuid } from "../../lib/domain/access/identity.ts";
import type { Credentials } from "./credentials.ts";
import type { Signer } from "./issuer.ts";

/** E-mail address of the developer, who owns the first organization; the default user of a local token. */
export const developerEmail = "developer@localhost";

const tokenTtlSeconds = 30 * 86_400;

/**
 * Issues a bearer token for the user with an e-mail address, valid for 30 days. An address maps to the same user id in every
 * data directory; only the developer's user id differs per directory.
 *
 * @param email address in lower case
 */
export const bearerToken = (
  { issueToken }: Pick<Signer, "issueToken">,
  { userId }: Credentials,
  email: string = developerEmail,
): Promise<string> => {
  const isDeveloper = email === developerEmail;
  return issueToken({
    sub: isDeveloper ? userId : derivedUuid("local user", email),
    name: isDeveloper ? "Local Developer" : email.replace(/@.*$/u, ""),
    email,
    ttl: tokenTtlSeconds,
  });
};
