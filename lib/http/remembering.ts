/** Membership and the name of a project change seldom; for whoever only reads a change takes effect within this time. */
const cacheMilliseconds = 5_000;
const cacheSize = 5_000;

type Key = readonly (string | null)[];

/** What was found before, by key; all of it is forgotten when there is too much. */
export const remembered = <Value>() => {
  const cache = new Map<string, Value>();
  return {
    get: (key: Key): Value | undefined => cache.get(JSON.stringify(key)),
    set: (key: Key, value: Value): void => {
      if (cache.size >= cacheSize) cache.clear();
      cache.set(JSON.stringify(key), value);
    },
  };
};

/** What was found less than 5 seconds ago is not looked for again. */
export const remembering = <Value>(now: () => number) => {
  const cache = remembered<{ readonly value: Value; readonly until: number }>();
  return async (key: Key, find: () => Promise<Value>): Promise<Value> => {
    const known = cache.get(key);
    if (known !== undefined && known.until > now()) return known.value;
    // From before the look: a change that falls into it must not be missed for longer.
    const until = now() + cacheMilliseconds;
    const value = await find();
    cache.set(key, { value, until });
    return value;
  };
};
