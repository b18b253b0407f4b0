/**
 * Folds the case of a text for searching. Both lower-case forms of the Greek letter sigma (at the end of a word and
 * elsewhere) become the same letter, so that a search for part of a word matches.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");
