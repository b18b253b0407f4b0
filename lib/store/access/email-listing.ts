import { comparableEmail } from "../../domain/access/email.ts";
import { accessItems, type Item } from "./items.ts";
import { emailPartition, prefixes, userEmailKey } from "./keys.ts";
import type { Database } from "../database.ts";

/** What a user's own item gets when the address changes that the user is found by, and the items to write with it. */
interface ListingChange {
  readonly set: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly items: readonly Item[];
}

/** Whether a user has to be listed under the address that a token tells. */
export const isUnlisted = (email: string | null, listed: string | undefined): boolean =>
  email !== null && comparableEmail(email) !== listed;

/**
 * Lists a user under an address. The entry of the address before expires at once.
 *
 * @param listed the address that the user's own item says the user is listed under: it changes together with the entries.
 * @param at epoch milliseconds.
 */
export const listingChange = (
  userId: string,
  email: string | null,
  listed: string | undefined,
  at: number,
): ListingChange => {
  if (email === null || !isUnlisted(email, listed)) return { set: [], values: {}, items: [] };
  const address = comparableEmail(email);
  const former = listed === undefined ? [] : [{ ...userEmailKey(listed, userId), ttl: Math.floor(at / 1000) }];
  return {
    set: ["listed_email = :listed"],
    values: { ":listed": address },
    items: [userEmailKey(address, userId), ...former],
  };
};

/**
 * The users who are or were listed under an address (in lower case). Expired entries are among them: the user's own item
 * says which address is the user's.
 */
export const listedUsers = async (database: Database, email: string): Promise<readonly string[]> => {
  const entries = await accessItems(database).list(emailPartition(email), prefixes.users);
  return entries.map(({ sk }) => String(sk).slice(prefixes.users.length));
};
