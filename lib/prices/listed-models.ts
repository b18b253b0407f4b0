import { makerRows } from "./maker-rows.ts";
import type { Price } from "./price.ts";

/** A price in US dollars per million tokens, from a day on; null for the first one. */
export interface ListedPrice extends Price {
  /** First day, `YYYY-MM-DD`. */
  readonly from: string | null;
}

/** The prices of one model, ascending by day. */
export interface ListedModel {
  readonly prices: readonly ListedPrice[];
  /** URL of the price page. */
  readonly source: string;
  /** Day on which the prices were read, `YYYY-MM-DD`. */
  readonly readOn: string;
}

/** Day of the publisher's data in `maker-rows.ts` and `openrouter-rows.ts`. */
const rowsReadOn = "2026-09-23";

const isDay = (column: string): boolean => column.includes("-");

/** Parses the columns of a row: `input output cached written`, then a day and the prices from then on, and so forth. */
const parsePrices = (columns: readonly string[]): readonly ListedPrice[] => {
  const end = columns.findIndex((column, at) => at > 0 && isDay(column));
  const [first, rest] = end === -1 ? [columns, []] : [columns.slice(0, end), columns.slice(end)];
  const from = first.find(isDay) ?? null;
  const [input = 0, output = 0, cached = input, written = input] = first.filter((each) => each !== from).map(Number);
  return [{ input, output, cached, written, from }, ...(rest.length === 0 ? [] : parsePrices(rest))];
};

/** Parses rows of the form `names prices`, in sections that begin with `@prefix source`. */
export const parseRows = (rows: string): ReadonlyMap<string, ListedModel> => {
  const models = new Map<string, ListedModel>();
  let [prefix, source] = ["", ""];
  for (const row of rows.trim().split("\n")) {
    const [names = "", ...columns] = row.split(" ");
    if (names.startsWith("@")) [prefix, source] = [names.slice(1), columns[0] ?? ""];
    else {
      const prices = parsePrices(columns);
      for (const name of names.split(",")) models.set(prefix + name, { prices, source, readOn: rowsReadOn });
    }
  }
  return models;
};

/**
 * Prices that the publisher's data lacks, in the same form, read on 21 November 2026. Decision models charge for input only.
 * Models with an uncertain price are not listed.
 */
const ownRows = `
@ https://developers.openai.com/api/docs/pricing
gpt-6.1-sol 2 10 0.1 2.5
gpt-6.1-terra 1 5 0.05 1.25
openai-decisions/gpt-6-luna 0.1
@ https://platform.claude.com/docs
claude-sonnet-5-5 2 10 0.1 2.5
claude-haiku-5-5 0.1 0.5 0.01 0.125
`;

const ownModels = Array.from(parseRows(ownRows), ([name, model]): [string, ListedModel] => [
  name,
  { ...model, readOn: "2026-11-21" },
]);

/**
 * Prices of models by the maker's model name, of Bedrock's models by their id without version, and of Groq's as `groq/<id>`:
 * standard tier, prompts below the length from which makers charge more (at least 100,000 tokens). Makers that charge by the time
 * of day are left out. The operator's own prices (setting `prices`) win.
 */
export const priceList: ReadonlyMap<string, ListedModel> = new Map([...parseRows(makerRows), ...ownModels]);

/**
 * Returns the highest of the prices that a list has for its own day and later, which holds when a temporary promotion ends: a
 * spending ceiling is computed from it.
 */
export const ceilingPrice = ({ prices, readOn }: ListedModel): Price => {
  const current = prices.findLast(({ from }) => from === null || from <= readOn);
  const later = prices.filter(({ from }) => from !== null && from > readOn);
  const { input, cached, output, written } = [...(current === undefined ? [] : [current]), ...later].reduce((a, b) =>
    b.input > a.input ? b : a,
  );
  return { input, cached, output, written };
};
