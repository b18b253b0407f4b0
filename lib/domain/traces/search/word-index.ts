import type { Trace } from "../trace.ts";
import { foldText } from "./folding.ts";
import { searchedTexts } from "./matches.ts";
import { isSequence, type TextTerm, wordsIn } from "./text-query.ts";

/** Code points of a word that the index has: longer ones are data, such as Base64. */
const indexedLength = 64;

/** Words of a trace above which the index has `anyWord` in their place. */
const maxWords = 100_000;

/** The word in the index of a trace that may have any word. */
export const anyWord = "";

const pairsOf = (characters: readonly string[]): readonly string[] =>
  characters.slice(1).map((character, index) => `${characters[index]}${character}`);

/** Returns the words of the index for a word of a text: itself, or the characters of a sequence and their pairs. */
const indexed = (word: string): readonly string[] => {
  const characters = Array.from(word);
  return isSequence(word)
    ? [...characters, ...pairsOf(characters)]
    : [characters.length > indexedLength ? characters.slice(0, indexedLength).join("") : word];
};

/** Returns the words by which the index finds a trace. */
export const indexedWords = (trace: Trace): readonly string[] => {
  const words = new Set<string>();
  for (const text of searchedTexts(trace)) {
    for (const word of wordsIn(foldText(text))) for (const each of indexed(word)) words.add(each);
    if (words.size > maxWords) return [anyWord];
  }
  return [...words];
};

/** Returns the words of the index that a trace must have, all of them, to match the terms; one that has them need not match. */
export const neededWords = (terms: readonly TextTerm[]): readonly string[] => {
  const needed = (word: string): readonly string[] => {
    const pairs = isSequence(word) ? pairsOf(Array.from(word)) : [];
    return pairs.length > 0 ? pairs : indexed(word);
  };
  return [...new Set(terms.flatMap(({ words }) => words.flatMap(needed)))];
};
