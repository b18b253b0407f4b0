import type { Random } from "../support/random.ts";
import { Literal, type Sendable } from "./sendable.ts";

const characters = [
  ...Array.from("abcXYZ019 _-./#%:'\"\\{}[]$*?&=<>"),
  "\0",
  "\u0001",
  "\n",
  "\u007f",
  "\u2028",
  "\u202e",
  "e\u0301",
  "\ufeff",
  "\uffff",
  "ß",
  "字",
  "\u{1f469}\u{200d}\u{1f680}",
  "\u{1f600}",
] as unknown as readonly [string, ...string[]];

/** Random text with exactly `length` characters of all kinds. */
export const textOf = (random: Random, length: number): string => {
  const points: string[] = [];
  while (points.length < length) points.push(...Array.from(random.pick(characters)));
  return points.slice(0, length).join("");
};

const hexadecimal = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join("");

/** A random UUID of any version. */
export const someUuid = (random: Random): string =>
  [8, 4, 4, 4, 12].map((digits) => hexadecimal(random, digits)).join("-");

const two = (number: number): string => String(number).padStart(2, "0");

/** A random instant in any accepted format, in one of the given years. */
export const instantText = (
  random: Random,
  years: readonly [string, ...string[]] = ["2024", "2025", "2026", "1970", "0002", "9998"],
): string => {
  const date = `${random.pick(years)}-${two(random.between(1, 12))}-${two(random.between(1, 28))}`;
  const time = `T${two(random.below(24))}:${two(random.below(60))}`;
  const seconds = `:${two(random.below(60))}`;
  const fraction = `.${"123456789".slice(0, random.between(1, 9))}`;
  const zone = random.pick(["", "Z", "+02", "-0530", "+05:45", "+23:59", "-00:00"]);
  return random.pick([
    date,
    `${date}${time}${zone}`,
    `${date}${time}${seconds}${zone}`,
    `${date}${time}${seconds}${fraction}${zone}`,
  ]);
};

const oddKeys = ["__proto__", "constructor", "toString", "", "a.b", "#x", ":v", "$ne", "id", "é"] as const;

const scalar = (random: Random): Sendable => {
  const literals = [
    "9007199254740993",
    "1e-400",
    "-0",
    "1.7976931348623157e308",
    `0.${"1234567890".repeat(4)}`,
  ] as const;
  switch (random.below(6)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.between(-1000, 1000);
    case 3:
      return new Literal(random.pick(literals));
    default:
      return textOf(random, random.below(40));
  }
};

const entries = (random: Random, depth: number): Sendable =>
  Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [
      random.chance(0.3) ? random.pick(oddKeys) : textOf(random, random.between(1, 8)),
      freeJson(random, depth - 1),
    ]),
  );

/** Nested lists of a given depth. */
export const nested = (depth: number): Sendable => {
  let value: Sendable = [];
  for (let level = 1; level < depth; level += 1) value = [value];
  return value;
};

/** Random accepted JSON, sometimes at the maximum nesting depth. */
export const freeJson = (random: Random, depth = 5): Sendable => {
  if (depth === 5 && random.chance(0.02)) return nested(100);
  if (depth === 0 || random.chance(0.4)) return scalar(random);
  if (random.chance(0.5)) return entries(random, depth);
  return Array.from({ length: random.below(4) }, () => freeJson(random, depth - 1));
};

/** A random accepted object. */
export const freeObject = (random: Random): { readonly [key: string]: Sendable } => ({
  ...(entries(random, 4) as { readonly [key: string]: Sendable }),
  ...(random.chance(0.02) ? { deep: nested(99) } : {}),
});

/** An object with a given number of keys. */
export const wideObject = (keys: number): Sendable =>
  Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 0]));
