import { isObject, stringOrEmpty, toDouble, type Json, type JsonObject } from "../../json.ts";
import {
  besides,
  countKind,
  parts,
  storedNames,
  usageType,
  type CountKind,
  type UsagePart,
  type Side,
} from "./usage-fields.ts";

/** Tokens of a call. Those of other fields lie inside `input` and `output`, and `remainder` beside both. */
export interface CallTokens extends Readonly<
  Record<Side | "cacheRead" | "cacheWrite" | "audioInput" | "reasoning" | "audioOutput" | "imageOutput", number>
> {
  /** Tokens of sound among those read from a cache; null if unknown. */
  readonly audioCacheRead: number | null;
  /** Tokens written to a cache for an hour, part of `cacheWrite`. */
  readonly writtenHour: number;
  /** Tokens of the reported total that no count has. */
  readonly remainder: number;
}

/** A count of a usage, by its name in snake case with dots between the keys of nested objects. */
interface Count {
  readonly kind: CountKind;
  readonly name: string;
  readonly value: number;
}

/** Max depth of the objects of a usage, and max counts that are read. */
const [maxDepth, maxCounts] = [5, 200] as const;

const snakeCase = (name: string): string => name.replaceAll(/([a-z\d])(?=[A-Z])/gu, "$1_").toLowerCase();

/** Returns a count of tokens; null if the client's value is not a number or out of range. */
const numberIn = (value: Json): number | null => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : toDouble(value);
  return typeof number === "number" && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : null;
};

/** Google's counts by modality, `[{modality: "AUDIO", tokenCount: 9}]`, as an object. */
const byModality = (list: readonly Json[]): JsonObject =>
  Object.fromEntries(
    list
      .filter(isObject)
      .map((each) => [stringOrEmpty(each["modality"]), each["tokenCount"] ?? each["token_count"] ?? null]),
  );

const countsIn = (usage: JsonObject, path = "", depth = 0): readonly Count[] =>
  Object.entries(usage).flatMap(([key, value]): readonly Count[] => {
    const name = path + snakeCase(key);
    const inner = Array.isArray(value) ? byModality(value) : value;
    if (isObject(inner)) return depth < maxDepth ? countsIn(inner, `${name}.`, depth + 1) : [];
    const [number, kind] = [numberIn(inner), countKind(name)];
    return number === null || kind === null ? [] : [{ kind, name, value: number }];
  });

const depthOf = ({ name }: Count): number => name.split(".").length;

const sumOf = (counts: readonly Count[]): number => counts.reduce((sum, { value }) => sum + value, 0);

/**
 * Returns the counts of a kind as one. Langfuse's types add up, and so do texts and pictures; of several names for one count, a zero may
 * stand for another.
 */
const oneOf = (kind: CountKind, counts: readonly Count[]): Count | null => {
  const [isSide, isOther] = [kind === "input" || kind === "output", kind.startsWith("other")];
  const least = Math.min(...counts.map(depthOf));
  const outer = isSide || isOther ? counts.filter((count) => depthOf(count) === least) : counts;
  const types = outer.filter(({ name }) => isOther || (isSide && usageType.test(name)));
  const [first] = outer.filter((count) => !types.includes(count)).toSorted((a, b) => b.value - a.value);
  const [type] = types;
  return type === undefined || (first?.value ?? 0) > sumOf(types) ? (first ?? null) : { ...type, value: sumOf(types) };
};

type Counts = ReadonlyMap<CountKind, Count>;

const valueIn = (counts: Counts, kind: CountKind): number => counts.get(kind)?.value ?? 0;

const largerOf = (count: Count | undefined, other: Count): Count =>
  count !== undefined && count.value >= other.value ? count : { ...other, ...(count && { name: count.name }) };

/** Reads the counts of a usage by kind. */
const readCounts = (usage: JsonObject): Counts => {
  const groups = Map.groupBy(countsIn(usage).slice(0, maxCounts), ({ kind }) => kind);
  const counts = new Map<CountKind, Count>();
  for (const [kind, group] of groups) {
    const count = oneOf(kind, group);
    if (count !== null) counts.set(kind, count);
  }
  const addPart = (kind: CountKind, ...inner: readonly CountKind[]) => {
    const [first, ...others] = inner.flatMap((each) => counts.get(each) ?? []);
    if (first !== undefined)
      counts.set(kind, largerOf(counts.get(kind), { ...first, kind, value: sumOf([first, ...others]) }));
  };
  addPart("cacheRead", "audioCacheRead");
  addPart("cacheWrite", "writtenMinutes", "writtenHour");
  return counts;
};

/** Parts that are read from a cache or written to it, which a prompt has beside each other. */
const isCached = ([part]: (typeof parts)[number]): boolean => part.startsWith("cache");

/**
 * Finds the parts that lie beside their side's count. A reported total decides, then the maker's and the convention's names; more of a
 * part than there is of its side cannot lie inside.
 */
const besideParts = (counts: Counts): ReadonlySet<UsagePart> => {
  const reported = parts.filter(([part]) => valueIn(counts, part) > 0);
  const named = reported.filter(([part, side]) => {
    const [sideName, partName] = [counts.get(side)?.name, counts.get(part)?.name];
    return besides.some(([outer, inner]) => outer.test(sideName ?? "") && inner.test(partName ?? ""));
  });
  const sum = (all: typeof reported): number => all.reduce((total, [part]) => total + valueIn(counts, part), 0);
  const tooLarge = (beside: typeof reported) =>
    reported.filter((each) => {
      const inside = isCached(each) ? reported.filter((other) => isCached(other) && !beside.includes(other)) : [each];
      const around = beside.filter(([, side]) => side === each[1]);
      return !beside.includes(each) && sum(inside) > valueIn(counts, each[1]) + (isCached(each) ? 0 : sum(around));
    });
  const total = counts.has("input") || counts.has("output") ? valueIn(counts, "total") : 0;
  const fits = (beside: typeof reported): boolean =>
    valueIn(counts, "input") + valueIn(counts, "output") + sum(beside) === total && tooLarge(beside).length === 0;
  const subsets = Array.from({ length: total === 0 ? 0 : 2 ** reported.length }, (_, subset) =>
    reported.filter((__, at) => Math.floor(subset / 2 ** at) % 2 === 1),
  );
  const fitting = fits(named) ? named : (subsets.find(fits) ?? [...named, ...tooLarge(named)]);
  return new Set(fitting.map(([part]) => part));
};

const tokensIn = (counts: Counts): CallTokens => {
  const value = (kind: CountKind): number => valueIn(counts, kind);
  const beside = besideParts(counts);
  const sideOf = (side: Side): number =>
    parts.reduce((sum, [part, ofSide]) => sum + (ofSide === side && beside.has(part) ? value(part) : 0), value(side));
  const [input, output] = [sideOf("input"), sideOf("output")];
  return {
    input,
    output,
    cacheRead: value("cacheRead"),
    audioCacheRead: counts.get("audioCacheRead")?.value ?? null,
    cacheWrite: value("cacheWrite"),
    writtenHour: value("writtenHour"),
    audioInput: value("audioInput"),
    reasoning: value("reasoning"),
    audioOutput: value("audioOutput"),
    imageOutput: value("imageOutput"),
    remainder: Math.max(0, value("total") - input - output),
  };
};

/** Results by usage, which several sums of a trace read one after the other. */
const results = new WeakMap<JsonObject, CallTokens>();

/** Reads the tokens of a call from its usage in any spelling of `usage-fields.ts`. */
export const callTokensOf = (usage: JsonObject): CallTokens => {
  const knownTokens = results.get(usage);
  if (knownTokens !== undefined) return knownTokens;
  const tokens = tokensIn(readCounts(usage));
  results.set(usage, tokens);
  return tokens;
};

const storedCounts = (counts: Counts): JsonObject =>
  Object.fromEntries(storedNames.flatMap(([kind, name]) => (counts.has(kind) ? [[name, valueIn(counts, kind)]] : [])));

/** Returns the counts of a usage as reported, under the names of stored counts; empty without any. */
export const reportedCounts = (usage: JsonObject): JsonObject => storedCounts(readCounts(usage));

/** Same as `reportedCounts`, with what lies beside the prompt's and the answer's counts added to them. */
export const inclusiveCounts = (usage: JsonObject): JsonObject => {
  const counts = readCounts(usage);
  const sides = tokensIn(counts);
  const isTool = besideParts(counts).has("toolInput");
  return storedCounts(
    new Map(
      [...counts]
        .filter(([kind]) => kind !== "toolInput" || !isTool)
        .map(([kind, count]) => [
          kind,
          kind === "input" || kind === "output" ? { ...count, value: sides[kind] } : count,
        ]),
    ),
  );
};
