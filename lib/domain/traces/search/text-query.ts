import { foldText } from "./folding.ts";

/** A word or phrase. */
export interface TextTerm {
  /** Matches the term at a place of a folded text. */
  readonly pattern: RegExp;
  /** The folded words of the term: a text without one of them does not match. */
  readonly words: readonly string[];
}

/** Maximum words of a query, those of phrases included. */
export const maxWords = 16;

/** Characters of words. */
const wordCharacter = String.raw`[\p{L}\p{M}\p{N}]`;

/** Characters of scripts that put no space between words, or attach particles to them: any sequence of them is found. */
const unspaced = `[[${["Hani", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"]
  .map((script) => String.raw`\p{scx=${script}}`)
  .join("")}]&&${wordCharacter}]`;
const spaced = `[${wordCharacter}--${unspaced}]`;

const wordOrSequence = new RegExp(`${unspaced}+|${spaced}+`, "gv");
const startsUnspaced = new RegExp(`^${unspaced}`, "v");

/** True for a sequence of a script without spaces, which may be a part of a longer one. */
export const isSequence = (word: string): boolean => startsUnspaced.test(word);

/** Returns the words and sequences of a folded text, in their order. */
export const wordsIn = (folded: string): readonly string[] => folded.match(wordOrSequence) ?? [];

/** Returns the pattern of a whole word; a sequence of a script without spaces may be part of a longer one. */
const wordPattern = (word: string): string => (isSequence(word) ? word : `(?<!${spaced})${word}(?!${spaced})`);

const termOf = (text: string): TextTerm => {
  const words = wordsIn(foldText(text));
  return { words, pattern: new RegExp(words.map(wordPattern).join(`(?:(?!${wordCharacter})[^])*`), "vy") };
};

/** Returns the first place of a term in a folded text; -1 if it lacks the term. */
export const placeOfTerm = (folded: string, { pattern, words: [first = ""] }: TextTerm): number => {
  // The regular expression alone would look at every character of a text of megabytes.
  for (let place = folded.indexOf(first); place !== -1; place = folded.indexOf(first, place + 1)) {
    pattern.lastIndex = place;
    if (pattern.test(folded)) return place;
  }
  return -1;
};

/** Quotation marks of several languages, which all begin and end a phrase. */
const quotationMark = /["“”„‟«»]/gu;

/** A phrase in quotation marks, or characters up to the next space or quotation mark. */
const termText = /"(?<phrase>[^"]*)"|(?<word>[^\s"]+)/gu;

/**
 * Parses a query: words, all of which must occur, and phrases in quotation marks. A word with punctuation inside, such as `gpt-4.1`, is a
 * phrase of its parts.
 *
 * @returns the terms, and a sentence about the flaw of the text, null for none.
 */
export const parseTextQuery = (text: string): { readonly terms: readonly TextTerm[]; readonly flaw: string | null } => {
  const plain = text.replaceAll(quotationMark, '"');
  const parts = plain.matchAll(termText).map(({ groups }) => groups?.["phrase"] ?? groups?.["word"] ?? "");
  const terms = Array.from(parts, termOf).filter(({ words }) => words.length > 0);
  const count = terms.reduce((sum, { words }) => sum + words.length, 0);
  const flaws = [
    plain.split('"').length % 2 === 0 && "A quotation mark has no counterpart",
    count === 0 && "Input should have a word or a number",
    count > maxWords && `Input should have at most ${maxWords} words`,
  ];
  return { terms, flaw: flaws.find((flaw) => flaw !== false) ?? null };
};
