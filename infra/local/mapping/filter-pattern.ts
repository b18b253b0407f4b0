/** A filter of an event source mapping, parsed. */
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

const unlike = (value: unknown, wanted: unknown): boolean => {
  if (isRecord(wanted)) return !matchesRule(value, wanted);
  return !(Array.isArray(wanted) ? (wanted as unknown[]) : [wanted]).includes(value);
};

const matchesRule = (value: unknown, rule: unknown): boolean => {
  if (!isRecord(rule)) return value === rule;
  const text = typeof value === "string" ? value : undefined;
  const [[name, wanted] = ["", undefined]] = Object.entries(rule);
  switch (name) {
    case "exists":
      return (value !== undefined) === wanted;
    case "prefix":
      return text?.startsWith(String(wanted)) === true;
    case "suffix":
      return text?.endsWith(String(wanted)) === true;
    case "equals-ignore-case":
      return text?.toLowerCase() === String(wanted).toLowerCase();
    case "anything-but":
      return value !== undefined && unlike(value, wanted);
    case "numeric":
      return inRange(value, wanted as unknown[]);
    default:
      throw new Error(`The local runtime does not know the filter rule ${name}.`);
  }
};

/** Whether a leaf, or one element of a list, fits one of the rules. */
const matchesLeaf = (value: unknown, rules: readonly unknown[]): boolean => {
  const candidates = Array.isArray(value) ? (value as unknown[]) : [value];
  return rules.some((rule) => candidates.some((candidate) => matchesRule(candidate, rule)));
};

/**
 * Whether an event fits a pattern: every key of the pattern must fit.
 *
 * Does: exact values, null, `exists`, `prefix`, `suffix`, `equals-ignore-case`, `anything-but`, `numeric`, `$or`.
 * Does not do: `wildcard`, `cidr`.
 */
export const matchesPattern = (event: unknown, pattern: Pattern): boolean =>
  Object.entries(pattern).every(([key, wanted]) => {
    if (key === "$or") return (wanted as Pattern[]).some((alternative) => matchesPattern(event, alternative));
    const value = isRecord(event) ? event[key] : undefined;
    return Array.isArray(wanted) ? matchesLeaf(value, wanted as unknown[]) : matchesPattern(value, wanted as Pattern);
  });

/** Whether an event fits one of the filters; without filters everything does. */
export const passesFilters = (event: unknown, filters: readonly Pattern[]): boolean =>
  filters.length === 0 || filters.some((pattern) => matchesPattern(event, pattern));
