/** The day of expiry of what is kept. */
export const kept = "-";

/** The day on which a row expires, from its `ttl`. */
export const expiryOf = (ttl: number | undefined): string =>
  ttl === undefined ? kept : new Date(ttl * 1000).toISOString().slice(0, 10);

/** Whether the rows of a day of expiry are gone. Their sums stay as they are: nothing could tell them again. */
export const isGone = (expiry: string, now: number): boolean => expiry !== kept && Date.parse(expiry) <= now;
