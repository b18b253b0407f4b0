/** Reference implementation of the search for words on words as data: it neither folds nor splits a text, and has no code of the service. */
import type { Random } from "../random.ts";

/** A word, by its number in `spellings`; a character of a script without spaces is a word of its own. */
interface Word {
  readonly number: number;
  /** True if nothing lies between it and the character before. */
  readonly isJoined: boolean;
}

/** Equal spellings of each word. */
const spellings: readonly (readonly string[])[] = [
  ["refund", "Refund", "REFUND", "ｒｅｆｕｎｄ"],
  ["strasse", "Straße", "STRASSE", "STRAẞE"],
  ["cafe", "café", "CAFÉ", "cafe\u0301"],
  ["order", "Order"],
  ["orders", "ORDERS"],
  ["1042"],
  ["ёлка", "Елка", "ЕЛКА"],
  ["λογος", "Λόγος", "ΛΌΓΟΣ"],
  ["कि"],
  ["का"],
  ["東"],
  ["京"],
  ["ガ", "ｶﾞ"],
  ["สวัสดี"],
];

/** Words from this one on are written without spaces. */
const firstUnspaced = 10;

const blanks = [" ", "\n", ", ", "_", " ' ", "\t—\\"] as const;

export const someWords = (random: Random, most: number): readonly Word[] => {
  const numbers = Array.from({ length: 1 + random.below(most) }, () => random.below(spellings.length));
  return numbers.map((number, index) => ({
    number,
    isJoined: number >= firstUnspaced && (numbers[index - 1] ?? 0) >= firstUnspaced && random.chance(0.5),
  }));
};

/** Writes words as a text, with punctuation and blanks between them. */
export const written = (random: Random, words: readonly Word[]): string =>
  words
    .map(({ number, isJoined }, index) => {
      const forms = spellings[number] ?? [""];
      return `${index === 0 || isJoined ? "" : random.pick(blanks)}${forms[random.below(forms.length)]}`;
    })
    .join("");

/** True if the words of a phrase follow each other in a text; those that are joined in the phrase are joined in it, too. */
const hasPhrase = (text: readonly Word[], phrase: readonly Word[]): boolean =>
  text.some((_, start) =>
    phrase.every(({ number, isJoined }, index) => {
      const word = text[start + index];
      return word?.number === number && (!isJoined || word.isJoined);
    }),
  );

/** True if each phrase is in one of the texts of a trace. */
export const textsMatch = (texts: readonly (readonly Word[])[], phrases: readonly (readonly Word[])[]): boolean =>
  phrases.every((phrase) => texts.some((text) => hasPhrase(text, phrase)));
