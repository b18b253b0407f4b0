import { seeded } from "../random.ts";

const random = seeded(68);

const signs = (alphabet: string | readonly string[], length: number): string => {
  const each = Array.from(alphabet);
  return Array.from({ length }, () => each[random.below(each.length)]).join("");
};

/** Random characters of a range of code points. */
const script = (from: number, to: number, length: number): string =>
  String.fromCodePoint(...Array.from({ length }, () => from + random.below(to - from + 1)));

const letters = "abcdefghijklmnopqrstuvwxyz";
const base64 = `${letters}${letters.toUpperCase()}0123456789+/`;

/** Texts of which tokenizers make many tokens for their length, or that are slow to count, by kind. */
export const hostileTexts: Readonly<Record<string, string>> = {
  emoji: signs("🧾📦🚚🎉🦑🪬", 400),
  "emoji of several signs": "👩🏽‍💻🏳️‍🌈👨‍👩‍👧‍👦".repeat(60),
  "zero-width characters": signs(["\u200B", "\u200C", "\u200D", "\u2060", "\uFEFF"], 600),
  "rare Chinese": script(0x20000, 0x2a6df, 300),
  "old Chinese": script(0x3400, 0x4dbf, 400),
  Hangul: script(0xac00, 0xd7a3, 400),
  Thai: script(0xe01, 0xe3a, 700),
  Devanagari: script(0x905, 0x939, 700),
  Ethiopic: script(0x1200, 0x1248, 500),
  cuneiform: script(0x12000, 0x12399, 300),
  "mathematical letters": script(0x1d400, 0x1d7cb, 300),
  "private use": script(0xe000, 0xf8ff, 400),
  "combining marks": `e${script(0x300, 0x36f, 800)}`,
  "control characters": script(0, 31, 600),
  "random base64": signs(base64, 2000),
  "random hexadecimal": signs("0123456789abcdef", 2000),
  "random capitals": signs(letters.toUpperCase(), 1500),
  "random words": Array.from({ length: 400 }, () => signs(letters, 4)).join(" "),
  digits: signs("0123456789", 2000),
  punctuation: signs("!#$%&()*+,-./:;<=>?@[]^_{|}~", 1500),
  "quotation marks and backslashes": signs(String.raw`"\'`, 1200),
  "runs of white space": signs([" ", "  ", "\t", "\n", "\r\n", "\u00A0", "\u3000"], 1500),
  "one letter": "a".repeat(3000),
  "one space": " ".repeat(3000),
  "special tokens": "<|endoftext|>".repeat(150),
};
