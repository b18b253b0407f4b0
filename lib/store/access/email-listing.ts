import { comparableEmail } from "../../domain/access/email.ts";
import type { Item } from "../../dynamo/items.ts";
import { accessItems } from "./items.ts";
import { emailPartition, prefixes, userEmailKey } from "./keys.ts";
import type { Database } from "../../dynamo/database.ts";

/**
 * Changes of a user's listing by email address: the update parts of the user's own item, and the list entries to
 * write with it.
 */
interface ListingChange {
  readonly set: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly items: readonly Item[];
}

/** True if a user is not yet listed under the email address of their token. */
export const isUnlisted = (email: string | null, listedEmail: string | undefined): boolean =>
  email !== null && comparableEmail(email) !== listedEmail;

/**
 * Writes that list a user under an email address. The entry of the previous address expires at once.
 *
 * @param listedEmail address in the user's own item, which changes together with the entries.
 * @param at epoch milliseconds.
 */
export const listingChange = (
  userId: string,
  email: string | null,
  listedEmail: string | undefined,
  at: number,
): ListingChange => {
  if (email === null || !isUnlisted(email, listedEmail)) return { set: [], values: {}, items: [] };
  const address = comparableEmail(email);
  const former =
    listedEmail === undefined ? [] : [{ ...userEmailKey(listedEmail, userId), ttl: Math.floor(at / 1000) }];
  return {
    set: ["listed_email = :listed"],
    values: { ":listed": address },
    items: [userEmailKey(address, userId), ...former],
  };
};

/**
 * Reads the ids of the users who are or were listed under an email address (lower case). Expired entries are included:
 * the current address is the one in the user's own item.
 */
export const listedUsers = async (database: Database, email: string): Promise<readonly string[]> => {
  const entries = await accessItems(database).list({ pk: emailPartition(email), prefix: prefixes.users });
  return entries.map(({ sk }) => String(sk).slice(prefixes.users.length));
};
