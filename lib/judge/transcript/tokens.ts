/** Kind of a token: a word, a number, an opaque id such as a UUID, or a time. */
type TokenKind = "word" | "number" | "id" | "time";

/** A token of a rendered value, with its place. */
export interface Token {
  /** Last key before the token (`key:` or `"key":`) with its occurrence, and the number of tokens since that key. */
  readonly slot: string;
  readonly kind: TokenKind;
  readonly text: string;
}

/** What varies without meaning in the text without slots, and its numbers. */
const variablePattern =
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|(?<!\w)[\da-f]{16,}(?!\w)|-?\d+/giu;
/** Characters without slots in which numbers, ids and times are recognised, as a multiple of the examined characters. */
const foldedShare = 10;

/** Replaces ids, times and numbers: an id or time by its kind, a number by its sign and number of digits. */
const foldVariable = (text: string): string =>
  text.replace(variablePattern, (match) =>
    /^-?\d+$/u.test(match) ? `${match.startsWith("-") ? "-" : ""}#${match.length}` : "#",
  );

/** The tokens of a text, and the rest of it that decides whether two texts are equal. */
export interface TokenizedText {
  readonly tokens: readonly Token[];
  /** Punctuation, keys, and the text without slots, its ids, times and numbers replaced. */
  readonly remainder: string;
}

const tokenPattern =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w\u0080-\uffff])|[\w\u0080-\uffff]+|[^\s"',]/giu;
/** A word before a colon, as a JSON key or at the beginning of a line. */
const keyPattern = /(?<![\w\u0080-\uffff])([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)(?![\w\u0080-\uffff])"?\s*:/gu;
const timePattern = /^\d{4}-\d\d-\d\d/u;
const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-/iu;
const numberPattern = /^-?\d[\d,]*(?:\.\d+)?$/u;
const wordStart = /^[\w\u0080-\uffff]/u;
/** A name with a number such as `page12`, or a number with a unit such as `25EUR`. */
const nameAndNumber = /^(\D+(?=\d)|\d+(?=\D))(\d+|\D+)$/u;
const hexPattern = /^[\da-f]{8,}$/iu;

/** Minimum characters of a mixture of letters and digits that counts as an id. */
const minIdLength = 12;

/** Maximum tokens after one key, and occurrences of one key, that have slots; prose has many tokens that say little one by one. */
const [maxOffset, maxOccurrence] = [16, 20] as const;

/**
 * Splits a rendered value into tokens: texts of JSON, of `key: value` lines and of prose. A token's slot depends on the nearest
 * key, so that texts of different lengths before it do not shift it.
 *
 * @param limit characters that are split into tokens; the rest has no slots.
 */
export const tokenize = (text: string, limit: number): TokenizedText => {
  const examined = text.slice(0, limit);
  const tokens: Token[] = [];
  const occurrences = new Map<string, number>();
  let [key, offset, remainder] = ["", 0, text.slice(limit)];
  const push = (kind: TokenKind, value: string): void => {
    tokens.push({ slot: `${key}/${offset}`, kind, text: value });
    offset += 1;
  };
  const beginKey = (name: string): void => {
    const occurrence = Math.min(maxOccurrence, (occurrences.get(name) ?? 0) + 1);
    occurrences.set(name, occurrence);
    [key, offset] = [`${name}#${occurrence}`, 0];
  };
  tokenPattern.lastIndex = 0;
  for (let match = tokenPattern.exec(examined); match !== null; match = tokenPattern.exec(examined)) {
    const [token] = match;
    if (offset >= maxOffset) {
      keyPattern.lastIndex = match.index;
      const next = keyPattern.exec(examined);
      remainder += examined.slice(match.index, next?.index ?? examined.length);
      if (next?.[1] === undefined) break;
      beginKey(next[1]);
      tokenPattern.lastIndex = keyPattern.lastIndex;
    } else if (timePattern.test(token)) push("time", token);
    else if (uuidPattern.test(token)) push("id", token);
    else if (numberPattern.test(token)) push("number", token.replaceAll(",", ""));
    else if (!wordStart.test(token)) {
      remainder += token;
      const last = tokens.at(-1);
      if (token !== ":" || offset === 0 || last?.kind !== "word") continue;
      tokens.pop();
      remainder += last.text;
      beginKey(last.text);
    } else if (!/\d/u.test(token)) push("word", token);
    else if (hexPattern.test(token)) push("id", token);
    else {
      const parts = nameAndNumber.exec(token);
      if (parts === null) push(token.length < minIdLength ? "word" : "id", token);
      else for (const part of parts.slice(1)) push(/\d/u.test(part) ? "number" : "word", part);
    }
  }
  const folded = limit * foldedShare;
  return { tokens, remainder: foldVariable(remainder.slice(0, folded)) + remainder.slice(folded) };
};
