import { derivedUuid } from "./identity.ts";

/**
 * Returns the id by which receipts, audit events and records of an erasure name a user of traces: a hash keyed by the project's id, so that
 * nothing but the traces themselves has the user's id, and no two projects share one.
 */
export const pseudonymOf = (project: string, userId: string): string => derivedUuid("trace-user", project, userId);

/** Returns a function that is true for the texts which have a pseudonym in a project; each text is hashed once. */
export const userMatcher = (project: string, pseudonym: string): ((userId: string | null) => boolean) => {
  const matches = new Map<string, boolean>();
  return (userId) => {
    if (userId === null) return false;
    const earlier = matches.get(userId);
    if (earlier !== undefined) return earlier;
    if (matches.size >= 100_000) matches.clear();
    const isMatch = pseudonymOf(project, userId) === pseudonym;
    matches.set(userId, isMatch);
    return isMatch;
  };
};
