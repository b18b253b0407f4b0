import { mutantsOf, type Mutant } from "./mutant.ts";

const store = ["test/store/traces/search.test.ts"] as const;
const api = ["test/api/traces/search.test.ts"] as const;

/** Mutants of the guards of the search for words. */
export const search: readonly Mutant[] = [
  ...mutantsOf("lib/store/traces/search/documents.ts", store, {
    "searching the first document whatever is left of the budget": ["!isFirst && isSpent()", "isSpent()"],
    "searching only the first document of all when nothing is left": ["isBegun ? null : rows[0]", "rows[0]"],
    "the end of a search at the end of its time": ["!isFirst && isSpent()", "false"],
    "reading documents again whose pieces were merged": ['return texts ?? "incomplete"', "return texts"],
    "counting damaged documents": ['return "unreadable";', "return null;"],
    "a look at the words before a document is parsed": [
      "terms.every(({ words }) => words.every(hasWord))",
      "terms.some(({ words }) => words.every(hasWord) || true)",
    ],
    "documents above the size of small ones": ["searchUpTo(Number.POSITIVE_INFINITY)", "searchUpTo(maxSmallBytes)"],
  }),
  ...mutantsOf("lib/store/traces/search/documents.ts", api, {
    "unescaping JSON in texts before the look at the words": [
      "if (!text.includes(String.raw`\\u`)) return",
      "if (text !== '') return",
    ],
  }),
  ...mutantsOf("lib/store/traces/search/search.ts", store, {
    "going on behind the last trace that was searched": ["last = positionOf(row);", ""],
    "the end of a page at its limit": ["if (hits.length < limit) continue;", "continue;"],
    "the rows of a session behind the cursor": ["startKey !== null && Buffer.compare(row.key, startKey) >= 0", "false"],
  }),
  ...mutantsOf("lib/store/traces/search/search.ts", api, {
    "the end of the range of a first page": [
      "last ?? (filter.to === null ? null : { key: filter.to, id: lowestId })",
      "last",
    ],
    "the start of the range": ["from === null || startedAt >= from", "true"],
  }),
  ...mutantsOf("lib/store/traces/search/whole-search.ts", store, {
    "refusing targets that were not all searched": ['outcomes.includes("unread")', 'outcomes.includes("unreadable")'],
    "a refusal that can be repeated when the time is over": ["search.isTooLong()", "true"],
    "refusing targets with a damaged document": ["if (damaged !== undefined)", "if (damaged === null)"],
    "the most documents of a run's targets": ["if (documents > maxDocuments)", "if (documents < 0)"],
  }),
  ...mutantsOf("lib/domain/traces/search/text-query.ts", api, {
    "the beginning of a word": ["`(?<!${spaced})${word}(?!${spaced})`", "`${word}(?!${spaced})`"],
    "the end of a word": ["`(?<!${spaced})${word}(?!${spaced})`", "`(?<!${spaced})${word}`"],
    "further places of a word whose first one is half of another": [
      "place = folded.indexOf(first, place + 1)",
      "place = -1",
    ],
  }),
  ...mutantsOf("lib/domain/traces/search/matches.ts", api, {
    "all words": ["missing.size > 0 ? null", "missing.size === terms.length ? null"],
    "reading JSON in texts": ["levels === 0 ? undefined : parsed(value)", "undefined"],
    "one place of each field": ["isShown = true;", ""],
  }),
  ...mutantsOf("lib/domain/traces/search/folding.ts", api, {
    "letters of a syllable that are composed": ["[${joining}]*`", "`"],
  }),
];
