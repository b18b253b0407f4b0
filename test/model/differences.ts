import { WrittenNumber } from "./exact-json.ts";

/** A computed number, compared with tolerance: sums of doubles may differ in the last digits. */
export class Computed {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export const computed = (value: number | null): Computed | null => (value === null ? null : new Computed(value));

const near = (actual: unknown, expected: number): boolean =>
  typeof actual === "number" && Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected));

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shownAs = (value: unknown): string => {
  if (value instanceof Computed) return `about ${value.value}`;
  if (value instanceof WrittenNumber) return value.digits;
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
};

const different = (actual: unknown, expected: unknown, path: string): string[] => {
  if (expected instanceof Computed) {
    return near(actual, expected.value) ? [] : [`${path}: ${shownAs(actual)} where the model has ${shownAs(expected)}`];
  }
  if (expected instanceof WrittenNumber) {
    const same = actual instanceof WrittenNumber && actual.digits === expected.digits;
    return same ? [] : [`${path}: ${shownAs(actual)} where the model has ${shownAs(expected)}`];
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length =
      actual.length === expected.length ? [] : [`${path}: ${actual.length} elements, the model has ${expected.length}`];
    const shorter = Math.min(actual.length, expected.length);
    return [
      ...length,
      ...expected.slice(0, shorter).flatMap((each, index) => different(actual[index], each, `${path}[${index}]`)),
    ];
  }
  if (isFields(expected) && isFields(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].flatMap((key) =>
      Object.hasOwn(expected, key) === Object.hasOwn(actual, key)
        ? different(actual[key], expected[key], `${path}.${key}`)
        : [`${path}.${key}: only in the ${Object.hasOwn(expected, key) ? "model" : "reply"}`],
    );
  }
  return Object.is(actual, expected) ? [] : [`${path}: ${shownAs(actual)} where the model has ${shownAs(expected)}`];
};

/** The first few differences between a reply and the model, one line each. */
export const differences = (actual: unknown, expected: unknown, subject: string): readonly string[] =>
  different(actual, expected, subject).slice(0, 6);
