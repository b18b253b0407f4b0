/** Lifetime of a cached lookup. Changes of memberships and project names take effect for reading requests within this time. */
const cacheMilliseconds = 5_000;
const cacheSize = 5_000;

type Key = readonly (string | null)[];

/** Creates an in-memory map of at most 5,000 entries; a full map is cleared as a whole. */
export const boundedCache = <Value>() => {
  const cache = new Map<string, Value>();
  return {
    get: (key: Key): Value | undefined => cache.get(JSON.stringify(key)),
    set: (key: Key, value: Value): void => {
      if (cache.size >= cacheSize) cache.clear();
      cache.set(JSON.stringify(key), value);
    },
  };
};

/** Returns a function that runs `find` for a key and caches its result for 5 seconds. */
export const cachedLookup = <Value>(now: () => number) => {
  const cache = boundedCache<{ readonly value: Value; readonly until: number }>();
  return async (key: Key, find: () => Promise<Value>): Promise<Value> => {
    const entry = cache.get(key);
    if (entry !== undefined && entry.until > now()) return entry.value;
    // Counted from before the read: a change during the read must not be missed for longer than 5 seconds.
    const until = now() + cacheMilliseconds;
    const value = await find();
    cache.set(key, { value, until });
    return value;
  };
};
