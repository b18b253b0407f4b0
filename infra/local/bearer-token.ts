import { derivedUuid } from "../../lib/domain/access/identity.ts";
import type { Credentials } from "./credentials.ts";
import type { Signer } from "./issuer.ts";

/** Whose token it is when nobody is named: the owner of the first organization. */
export const developerEmail = "developer@localhost";

const tokenSeconds = 30 * 86_400;

/**
 * A bearer token of whoever has the e-mail address, valid for 30 days. The same address is the same user, whenever and
 * wherever its token was made; the developer is another one in every data directory.
 *
 * @param email in lower case
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
    ttl: tokenSeconds,
  });
};
