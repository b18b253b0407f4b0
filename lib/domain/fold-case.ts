/**
 * A text in which case makes no difference any more. The small sigma has a form of its own at the end of a word, which
 * lower-casing a capital gives depending on its place: as one letter, a part of a text is found in the whole.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");
