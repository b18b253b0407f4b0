import { type Random } from "../../support/random.ts";

/** Texts that an intermediate layer might change or truncate. */
export const oddTexts = [
  "plain",
  "Plain",
  "",
  " ",
  "\0",
  "a\0b",
  "100%_\\",
  'quote " and \\ and /',
  "ÄÖÜ straße ΑΣ",
  "ας ΑΣΑ",
  "İstanbul",
  "😀 🏳️‍🌈 👩‍👩‍👧",
  "\u{10ffff}",
  "\uffff",
  "\ufeffbom",
  "\u202eright to left\u202c",
  "e\u0301 and é",
  "line\nbreak\ttab\r\u2028",
  "null",
  "-1",
  "__proto__",
  "constructor",
] as const;

/** A UUID from a seeded source. */
export const someUuid = (random: Random): string => {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
};

const numbers = [
  "0",
  "1",
  "-1.5",
  "0.1",
  "1e21",
  "9007199254740993",
  "-12345678901234567890",
  "3.14159265358979323846",
];

/** Random JSON with at most `depth` levels, including numbers that a double cannot represent. */
export const someJson = (random: Random, depth = 3): unknown => {
  const kind = random.below(depth === 0 ? 6 : 9);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return JSON.rawJSON(random.pick(numbers as [string, ...string[]]));
  if (kind < 6) return random.pick(oddTexts);
  if (kind === 6) return Array.from({ length: random.below(4) }, () => someJson(random, depth - 1));
  return someObject(random, depth - 1);
};

/** A random free-form object. */
export const someObject = (random: Random, depth = 2): object =>
  Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [
      random.pick(["a", "b", "nested", ...oddTexts]),
      someJson(random, depth),
    ]),
  );
