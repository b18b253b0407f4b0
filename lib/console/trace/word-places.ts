import { foldText } from "../../domain/traces/search/folding.ts";
import { parseTextQuery, wordsIn } from "../../domain/traces/search/text-query.ts";

const word = /[\p{L}\p{M}\p{N}]+/gu;

/** Start and end of a part of a text. */
type Place = readonly [start: number, end: number];

/** Returns where a text has the words or phrases of a query; of a script without spaces the whole sequence that has a word in it. */
export const placesOfWords = (text: string, query: string): readonly Place[] => {
  const found = Array.from(text.matchAll(word), ({ 0: each, index }) => ({
    folded: wordsIn(foldText(each)).join(" "),
    start: index,
    end: index + each.length,
  }));
  return parseTextQuery(query).terms.flatMap(({ words, pattern }) => {
    const anywhere = new RegExp(pattern.source, "v");
    return found.flatMap(({ start }, at): readonly Place[] => {
      const part = found.slice(at, at + words.length);
      return anywhere.test(part.map(({ folded }) => folded).join(" ")) ? [[start, part.at(-1)?.end ?? start]] : [];
    });
  });
};

/** Returns where a text has another one, ignoring case. */
export const placesOfText = (text: string, part: string): readonly Place[] => {
  const pattern = new RegExp(RegExp.escape(part.trim()), "giu");
  return Array.from(text.matchAll(pattern), ({ 0: each, index }): Place => [index, index + each.length]);
};
