/** Value in place of an expiry day, for items that never expire. */
export const neverExpires = "-";

/**
 * Returns the UTC day on which an item expires, `YYYY-MM-DD`.
 *
 * @param ttl epoch seconds; undefined if the item never expires.
 */
export const expiryDayOf = (ttl: number | undefined): string =>
  ttl === undefined ? neverExpires : new Date(ttl * 1000).toISOString().slice(0, 10);

/**
 * Returns the instant at which the items of a day of expiry expire, epoch milliseconds; infinite if they never do.
 *
 * @param expiry begins with the result of `expiryDayOf`.
 */
export const expiryTime = (expiry: string): number =>
  expiry.startsWith(neverExpires) ? Number.POSITIVE_INFINITY : Date.parse(expiry.slice(0, 10));

/**
 * True if the items of a day of expiry have expired. Their counters are never read again.
 *
 * @param now epoch milliseconds.
 */
export const isExpiredDay = (expiry: string, now: number): boolean => expiryTime(expiry) <= now;
