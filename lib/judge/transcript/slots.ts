import type { Token } from "./tokens.ts";

/** Meaning of a token beside the tokens at the same place of other calls. */
interface SlotValue {
  /** The token without what varies freely; equal keys are no difference. */
  readonly key: string;
  /** Rareness of the key where the other calls agree, 0 for an ordinary one. */
  readonly oddness: number;
}

/** Share of calls that must have frequent values before a rare value is odd. */
const minAgreement = 0.8;
/** Minimum calls that are compared. */
export const minPopulation = 5;

/** Rareness of a value that `count` of `total` calls have; 0 if it is not rare. */
export const rareness = (count: number, total: number): number =>
  total >= minPopulation && count <= Math.max(1, total * 0.02) ? Math.log(total / count) : 0;

const countsOf = (keys: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

/** Computes the share of calls whose value several others have too. */
const agreement = (counts: ReadonlyMap<string, number>, total: number): number => {
  let sum = 0;
  for (const count of counts.values()) if (count >= Math.max(2, total * 0.05)) sum += count;
  return sum / total;
};

/** Computes the oddness of each key, in order. */
export const oddnessOf = (keys: readonly string[]): readonly number[] => {
  const counts = countsOf(keys);
  const share = agreement(counts, keys.length);
  return share < minAgreement
    ? keys.map(() => 0)
    : keys.map((key) => share * rareness(counts.get(key) ?? 0, keys.length));
};

/** Returns the step of a loop's counter; null for other numbers. */
const stepOf = (values: readonly number[]): number | null => {
  const steps = countsOf(values.slice(1).map((value, index) => String(value - (values[index] ?? 0))));
  const [step, count] = [...steps].toSorted(([, a], [, b]) => b - a)[0] ?? ["0", 0];
  return step !== "0" && values.length >= minPopulation && count >= minAgreement * (values.length - 1)
    ? Number(step)
    : null;
};

/** Returns the sign and the magnitude of a number. */
const magnitude = (value: number): string =>
  value === 0 ? "number 0" : `number ${value < 0 ? "-" : ""}e${Math.floor(Math.log10(Math.abs(value)))}`;

const foldedKeys = (tokens: readonly Token[]): readonly string[] => {
  const numbers = tokens.map(({ kind, text }) => (kind === "number" ? Number(text) : Number.NaN));
  const step = numbers.every((value) => Number.isSafeInteger(value)) ? stepOf(numbers) : null;
  const isCounted = (index: number): boolean =>
    step !== null &&
    [index, index + 1].some((at) => (numbers[at] ?? Number.NaN) - (numbers[at - 1] ?? Number.NaN) === step);
  return tokens.map(({ kind, text }, index) => {
    if (kind === "word") return text;
    if (kind === "id") return "id";
    if (kind === "time") return `time ${text.slice(0, 4)}`;
    return isCounted(index) ? "counter" : magnitude(numbers[index] ?? Number.NaN);
  });
};

/**
 * Compares the tokens at one place of all calls, in order. Where most calls share few values, each value counts as it is; else
 * ids and times are one value each, a loop's counter is one, and other numbers differ by sign and magnitude.
 */
export const slotValues = (tokens: readonly Token[]): readonly SlotValue[] => {
  const exact = tokens.map(({ text }) => text);
  const keys = agreement(countsOf(exact), exact.length) >= minAgreement ? exact : foldedKeys(tokens);
  const oddness = oddnessOf(keys);
  return keys.map((key, index) => ({ key, oddness: oddness[index] ?? 0 }));
};
