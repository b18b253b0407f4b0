/** What a rule leaves in place of a value; the path of a rule may have brackets of its own. */
const mark = /\[masked:((?:[^[\]]|\[[^[\]]{0,102}\]){1,200})\]/gu;

/** Maximum rules that are counted: more than a project has, as those of a trace may have changed, or a client may have written some. */
const maxRules = 100;

/** Returns the number of masked texts by rule, counted in a value as it is stored; null if there are none. */
export const maskedCounts = (value: unknown): Record<string, number> | null => {
  const counts = new Map<string, number>();
  const countText = (text: string): void => {
    if (!text.includes("[masked:")) return;
    for (const [, rule = ""] of text.matchAll(mark))
      if (counts.has(rule) || counts.size < maxRules) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  };
  const count = (part: unknown): void => {
    if (typeof part === "string") countText(part);
    else if (Array.isArray(part)) part.forEach(count);
    else if (typeof part === "object" && part !== null)
      for (const [key, each] of Object.entries(part)) {
        countText(key);
        count(each);
      }
  };
  count(value);
  return counts.size === 0 ? null : Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
};
