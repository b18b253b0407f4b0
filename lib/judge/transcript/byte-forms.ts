import { charactersOf, hasRun } from "./character-run.ts";
import { toDouble, type Json } from "../../domain/json.ts";

/** Minimum bytes of data that is replaced; shorter runs are ids, hashes and ordinary numbers. */
const minBytes = 128;

/** Bytes found in a value, or null for other values. */
type Bytes = Buffer | null;

/**
 * Returns the bytes of a list of numbers that looks like binary data: all from 0 to 255, and both ends of that range in use,
 * which ages, shares and durations are not.
 *
 * @param isDeclared true if the list is said to be bytes, so that the range does not matter.
 */
export const bytesOfNumbers = (values: readonly Json[], isDeclared = false): Bytes => {
  if (values.length < minBytes) return null;
  const bytes = Buffer.alloc(values.length);
  let [lowest, highest] = [255, 0];
  for (const [index, each] of values.entries()) {
    const value = toDouble(each);
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 255) return null;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
    bytes[index] = value;
  }
  return isDeclared || (lowest < 16 && highest >= 240) ? bytes : null;
};

/** Returns the bytes of `{"type": "Buffer", "data": [...]}` or `{"0": 137, "1": 80, ...}`, as JavaScript writes bytes. */
export const bytesOfObject = (value: Readonly<Record<string, Json>>): Bytes => {
  const { type, data } = value;
  if (type === "Buffer" && Array.isArray(data)) return bytesOfNumbers(data, true);
  if (value["0"] === undefined) return null;
  const entries = Object.entries(value);
  return entries.every(([key], index) => key === `${index}`) ? bytesOfNumbers(entries.map(([, item]) => item)) : null;
};

/** Returns the bytes of hexadecimal digits, also with separators and prefixes, if letters and digits are mixed as in data. */
export const bytesOfHex = (text: string): Bytes => {
  const digits = text.replaceAll(/\\n|0x|\\x|[^0-9A-Za-z]/gu, "");
  if (!/^(?:[0-9a-f]{2})+$|^(?:[0-9A-F]{2})+$/u.test(digits)) return null;
  const sample = digits.slice(0, 400);
  const letterCount = sample.replaceAll(/\d/gu, "").length;
  const isMixed = letterCount >= 20 && sample.length - letterCount >= 20;
  return isMixed ? Buffer.from(digits, "hex") : null;
};

// Bounded repetitions and separators without overlap, so that matching takes linear time on any text.
const separatedHex =
  /(?<![0-9A-Za-z])(?:0x|\\x)?[0-9a-f]{2}(?:(?:[ ,:;-]|\r?\n){1,3}(?:0x|\\x)?[0-9a-f]{2}|\\x[0-9a-f]{2}){127,}(?![0-9A-Za-z])/giu;
const numberList = /(?<!\d|\d\.)\[?\d{1,3}(?:\s{0,4},\s{0,4}\d{1,3}){127,}\]?(?!\d|\.\d)/gu;
/** Lines of `xxd`, `hexdump -C` and `od`: offset, groups of digits, and mostly a column of text. */
const dump = /(?:^[ \t]*[0-9a-f]{4,16}:?[ \t]+(?:[0-9a-f]{2,8}[ \t]+){2}[0-9a-f]{2,8}[ \t].*(?:\n|$)){8,}/gimu;

/** Maximum bytes of a line of a dump that are read. */
const maxLineBytes = 16;

const dumpLine = (line: string): { readonly offset: string; readonly digits: string } => {
  const [offset = "", ...groups] = line.trim().split(/:?\s+/u);
  const end = groups.findIndex((group) => !/^(?:[0-9a-f]{2}|[0-9a-f]{4}|[0-9a-f]{8})$/iu.test(group));
  const digits = groups.slice(0, end === -1 ? undefined : end).join("");
  return { offset, digits: digits.slice(0, 2 * maxLineBytes) };
};

/** Returns the bytes of the lines of a dump; null if the offsets do not count the bytes, as in a table of numbers. */
const bytesOfDump = (text: string): Bytes => {
  const lines = text.trimEnd().split("\n").map(dumpLine);
  const [first, second] = lines;
  const size = (first?.digits.length ?? 0) / 2;
  const isCounted = [16, 8].some((radix) => {
    const step = Number.parseInt(second?.offset ?? "", radix) - Number.parseInt(first?.offset ?? "", radix);
    return size > 0 && step === size;
  });
  return isCounted ? Buffer.from(lines.map(({ digits }) => digits).join(""), "hex") : null;
};

/** Characters of hexadecimal bytes and of numbers with their separators, and the length of the shortest replaced run. */
const [listCharacters, minListLength] = [charactersOf(/[0-9a-fx\\,:;\s[\]-]/iu), 2 * minBytes];

const lineBreakOf = (text: string): string => (text.endsWith("\n") ? "\n" : "");

/**
 * Replaces dumps, lists of hexadecimal bytes and lists of numbers that look like bytes in a text.
 *
 * @param placeholderOf returns the text for bytes in a form of this name.
 */
export const replaceBytesInText = (text: string, placeholderOf: (form: string, bytes: Buffer) => string): string => {
  if (text.length < 3 * minBytes) return text;
  const replace = (form: string, read: (data: string) => Bytes) => (data: string) => {
    const bytes = read(data);
    return bytes === null ? data : `${placeholderOf(form, bytes)}${lineBreakOf(data)}`;
  };
  const readList = (list: string): Bytes =>
    bytesOfNumbers(
      list
        .replaceAll(/[[\]\s]/gu, "")
        .split(",")
        .map(Number),
    );
  // The first offsets of a dump have leading zeros.
  const mayHoldDump = text.includes("0000") && text.includes("\n");
  const withoutDumps = mayHoldDump ? text.replace(dump, replace("hex dump", bytesOfDump)) : text;
  if (!hasRun(withoutDumps, listCharacters, minListLength)) return withoutDumps;
  return withoutDumps.replace(separatedHex, replace("hex", bytesOfHex)).replace(numberList, replace("bytes", readList));
};
