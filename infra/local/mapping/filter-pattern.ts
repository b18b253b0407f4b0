/** A parsed filter pattern of an event source mapping. */
export type Pattern = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  "=": (value, bound) => value === bound,
  "<": (value, bound) => value < bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  ">=": (value, bound) => value >= bound,
};

const inRange = (value: unknown, range: readonly unknown[]): boolean => {
  if (typeof value !== "number") return false;
  for (let index = 0; index < range.length; index += 2)
    if (comparisons[String(range[index])]?.(value, Number(range[index + 1])) !== true) return false;
  return true;
};

const isNoneOf = (value: unknown, expected: unknown): boolean => {
  if (isRecord(expected)) return !matchesRule(value, expected);
  return !(Array.isArray(expected) ? (expected as unknown[]) : [expected]).includes(value);
};

const matchesRule = (value: unknown, rule: unknown): boolean => {
  if (!isRecord(rule)) return value === rule;
  const text = typeof value === "string" ? value : undefined;
  const [[name, expected] = ["", undefined]] = Object.entries(rule);
  switch (name) {
    case "exists":
      return (value !== undefined) === expected;
    case "prefix":
      return text?.startsWith(String(expected)) === true;
    case "suffix":
      return text?.endsWith(String(expected)) === true;
    case "equals-ignore-case":
      return text?.toLowerCase() === String(expected).toLowerCase();
    case "anything-but":
      return value !== undefined && isNoneOf(value, expected);
    case "numeric":
      return inRange(value, expected as unknown[]);
    default:
      throw new Error(`The local runtime does not support the filter rule ${name}.`);
  }
};

/** True if a leaf value, or one element of a list, matches at least one rule. */
const matchesLeaf = (value: unknown, rules: readonly unknown[]): boolean => {
  const candidates = Array.isArray(value) ? (value as unknown[]) : [value];
  return rules.some((rule) => candidates.some((candidate) => matchesRule(candidate, rule)));
};

/**
 * True if an event matches a filter pattern: every key of the pattern must match.
 *
 * Supported: exact values, null, `exists`, `prefix`, `suffix`, `equals-ignore-case`, `anything-but`, `numeric`, `$or`.
 * Not supported: `wildcard`, `cidr`.
 */
export const matchesPattern = (event: unknown, pattern: Pattern): boolean =>
  Object.entries(pattern).every(([key, expected]) => {
    if (key === "$or") return (expected as Pattern[]).some((alternative) => matchesPattern(event, alternative));
    const value = isRecord(event) ? event[key] : undefined;
    return Array.isArray(expected)
      ? matchesLeaf(value, expected as unknown[])
      : matchesPattern(value, expected as Pattern);
  });

/** True if an event matches at least one filter, or if there are no filters. */
export const passesFilters = (event: unknown, filters: readonly Pattern[]): boolean =>
  filters.length === 0 || filters.some((pattern) => matchesPattern(event, pattern));
