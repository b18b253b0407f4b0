import { expect, test } from "vitest";
import { placesOfText, placesOfWords } from "../../../lib/console/content/word-places.ts";
import { parseTextQuery } from "../../../lib/domain/traces/search/text-query.ts";

const marked = (text: string, places: readonly (readonly [number, number])[]) =>
  places.map(([start, end]) => text.slice(start, end));

const wordsOf = (text: string, query: string) => placesOfWords(text, parseTextQuery(query).terms);

test("words and phrases of a search are marked whole, whatever their case and accents", () => {
  const text = "A Café refund. Refunds for cafe guests: re-fund, gpt-4.1 and 4.10.";

  expect(marked(text, wordsOf(text, "CAFE refund"))).toEqual(["Café", "cafe", "refund"]);
  expect(marked(text, wordsOf(text, '"cafe refund" gpt-4.1'))).toEqual(["Café refund", "gpt-4.1"]);
  expect(wordsOf("", "refund")).toEqual([]);
});

test("a word of a script without spaces marks the sequence that has it", () => {
  const text = "今日は東京都に行く。Tokyo";

  expect(marked(text, wordsOf(text, "東京"))).toEqual(["今日は東京都に行く"]);
});

test("a text that is searched in a trace is marked wherever it is, and is no pattern", () => {
  const text = "a.b A.B axb";

  expect(marked(text, placesOfText(text, " A.b "))).toEqual(["a.b", "A.B"]);
  expect(placesOfText(text, " ")).toEqual([]);
});
