/** A provider that asks for more is asked again after an hour: a nonsense header must not park a run for years. */
const longest = 3_600_000;

const bounded = (milliseconds: number): number | null =>
  Number.isFinite(milliseconds) ? Math.min(Math.max(0, Math.ceil(milliseconds)), longest) : null;

/**
 * Milliseconds to wait as the headers of a reply say (`retry-after-ms`, or `retry-after` in seconds or as a date), between
 * 0 and an hour; null when they say nothing usable.
 */
export const retryAfter = (headers: Headers | undefined, now: number): number | null => {
  const milliseconds = headers?.get("retry-after-ms")?.trim();
  if (milliseconds !== undefined && /^\d+(?:\.\d+)?$/u.test(milliseconds)) return bounded(Number(milliseconds));
  const given = headers?.get("retry-after")?.trim();
  if (given === undefined || given === "") return null;
  if (/^\d+(?:\.\d+)?$/u.test(given)) return bounded(Number(given) * 1000);
  return /[a-z]/iu.test(given) ? bounded(Date.parse(given) - now) : null;
};
