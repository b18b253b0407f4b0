import { foldText } from "../../domain/traces/search/folding.ts";
import { placeOfTerm, wordsIn, type TextTerm } from "../../domain/traces/search/text-query.ts";

const word = /[\p{L}\p{M}\p{N}]+/gu;

/** Start and end of a part of a text. */
type Place = readonly [start: number, end: number];

/** Returns where a text has the words or phrases of a query; of a script without spaces the whole sequence that has a word in it. */
export const placesOfWords = (text: string, terms: readonly TextTerm[]): readonly Place[] => {
  const tokens = Array.from(text.matchAll(word), ({ 0: each, index }) => ({
    folded: wordsIn(foldText(each)).join(" "),
    start: index,
    end: index + each.length,
  }));
  return terms.flatMap((term) =>
    tokens.flatMap(({ start }, at): readonly Place[] => {
      const part = tokens.slice(at, at + term.words.length);
      const isTerm = placeOfTerm(part.map(({ folded }) => folded).join(" "), term) !== -1;
      return isTerm ? [[start, part.at(-1)?.end ?? start]] : [];
    }),
  );
};

/** Returns where a text has another one, ignoring case. */
export const placesOfText = (text: string, part: string): readonly Place[] => {
  const [lower, needle] = [text.toLowerCase(), part.trim().toLowerCase()];
  if (needle === "") return [];
  // The lower case of few letters is longer.
  const searched = lower.length === text.length ? lower : text;
  const places: Place[] = [];
  for (let at = searched.indexOf(needle); at !== -1; at = searched.indexOf(needle, at + needle.length))
    places.push([at, at + needle.length]);
  return places;
};
