/** Membership and the name of a project change seldom; a change takes effect everywhere within this time. */
const cacheMilliseconds = 30_000;
const cacheSize = 5_000;

/** What was found less than 30 seconds ago is not looked for again. */
export const remembering = <Value>(now: () => number) => {
  const cache = new Map<string, { readonly value: Value; readonly until: number }>();
  return async (key: readonly (string | null)[], find: () => Promise<Value>): Promise<Value> => {
    const name = JSON.stringify(key);
    const known = cache.get(name);
    if (known !== undefined && known.until > now()) return known.value;
    const until = now() + cacheMilliseconds;
    const value = await find();
    if (cache.size >= cacheSize) cache.clear();
    cache.set(name, { value, until });
    return value;
  };
};
