import { rarePriceKeys, type RarePrices, type TierShares } from "../domain/traces/model-price.ts";
import hostRows from "./host-rows.json" with { type: "json" };
import makerRows from "./maker-rows.json" with { type: "json" };
import type { Price } from "./price.ts";
import { tierSharesOf } from "./service-tiers.ts";

/** A price in US dollars per million tokens, from a day on; null for the first one. */
export interface ListedPrice extends Omit<Price, "long">, RarePrices {
  /** First day, `YYYY-MM-DD`, or first minute, `YYYY-MM-DDTHH:MM` (UTC). */
  readonly from: string | null;
  /** Number of prompt tokens above which the price replaces the preceding one; 0 for any prompt. */
  readonly above: number;
  /** Hours in which the price replaces the preceding one, in the form of `DatedPrices`; empty for any. */
  readonly hours: string;
}

/** The prices of one model, ascending by day; of a day by the length of prompts, then by hours. */
export interface ListedModel {
  readonly prices: readonly ListedPrice[];
  /** Prices at other service tiers, as shares of the standard price. */
  readonly tiers: TierShares;
  /** URL of the price page. */
  readonly source: string;
  /** Day on which the prices were read, `YYYY-MM-DD`. */
  readonly readOn: string;
}

/** Day of the publisher's data in `maker-rows.json` and `host-rows.json`, which `npm run prices` writes. */
const rowsReadOn = "2026-09-23";

/** Conditions of a price: prompts above a length (`>200000`), from a day on (`2026-07-30`), at hours (`01:00-04:00,06:00-10:00`). */
const conditions = /^(?:>(?<above>\d+)|(?<from>\d{4}-.+)|(?<hours>[^:]*:.+))$/u;

/** Prices of tokens of other kinds, by the columns `audio=1`. */
const rarePricesIn = (columns: readonly string[]): RarePrices =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const [name, dollars] = column.split("=");
      const key = rarePriceKeys.find((each) => each === name);
      return key === undefined ? [] : [[key, Number(dollars)]];
    }),
  );

/** Anthropic's price of tokens that stay in the cache for an hour, as a multiple of the input price. */
const anthropicHour = 2;
const isAnthropic = /(?:^|\/)claude-/u;

/** Parses the columns of a row: `input output cached written`, then a condition and the prices that hold under it, and so forth. */
const parsePrices = (columns: readonly string[], hourFactor: number | null): readonly ListedPrice[] => {
  const prices: ListedPrice[] = [];
  let from: string | null = null;
  for (let at = 0; at < columns.length;) {
    const condition = conditions.exec(columns[at] ?? "")?.groups;
    if (condition !== undefined) at += 1;
    const next = columns.findIndex((column, index) => index > at && conditions.test(column));
    const values = columns.slice(at, next === -1 ? undefined : next);
    const [input = 0, output = 0, cached = input, written = input] = values
      .filter((value) => !value.includes("="))
      .map(Number);
    const hour = hourFactor === null ? {} : { writtenHour: input * hourFactor };
    from = condition?.["from"] ?? from;
    const [above, hours] = [Number(condition?.["above"] ?? 0), condition?.["hours"] ?? ""];
    prices.push({ input, output, cached, written, ...hour, ...rarePricesIn(values), from, above, hours });
    at = next === -1 ? columns.length : next;
  }
  return prices;
};

/**
 * Parses rows. A row `@prefix source` begins a section, whose names have the prefix; without a source it has that of the section before.
 * Other rows have names, then US dollars per million tokens of input, output, cached and written input (the input price if absent), those
 * of `rarePriceKeys` with their names (`audio=1`), and behind `>200000` or a day the prices of longer prompts or from then on.
 */
export const parseRows = (rows: readonly string[]): ReadonlyMap<string, ListedModel> => {
  const models = new Map<string, ListedModel>();
  let [prefix, source] = ["", ""];
  for (const row of rows) {
    const [names = "", ...columns] = row.split(" ");
    if (names.startsWith("@")) [prefix, source] = [names.slice(1), columns[0] ?? source];
    else {
      const all = names.split(",").map((each) => prefix + each);
      const prices = parsePrices(columns, all.every((name) => isAnthropic.test(name)) ? anthropicHour : null);
      for (const name of all) models.set(name, { prices, tiers: tierSharesOf(name), source, readOn: rowsReadOn });
    }
  }
  return models;
};

/** Peak hours of DeepSeek, from 23 August 2026 not at weekends. */
const peak = "01:00-04:00,06:00-10:00";
const weekdayPeak = `weekdays,${peak}`;
/** Prices of DeepSeek's flash and pro model off-peak and, behind the hours, at peak. */
const flash = `0.15 0.6 0.003 ${weekdayPeak} 0.3 1.2 0.006`;
const pro = `0.66 1.98 0.022 ${weekdayPeak} 1.32 3.96 0.044`;
/** Chinese holidays, which are off-peak all day: Mid-Autumn, National Day, New Year. */
const withHolidays = (prices: string): string =>
  [
    ["2026-09-25", "2026-09-26"],
    ["2026-10-01", "2026-10-08"],
    ["2027-01-01", "2027-01-02"],
  ]
    .flatMap(([first, after]) => [`${first} ${prices.slice(0, prices.indexOf(" w"))} ${after} ${prices}`])
    .join(" ");

/**
 * Prices that the publisher's data lacks, or has with an earlier price, in the same form, read on 26 November 2026. Decision models charge for input only.
 * Models with an uncertain price are not listed.
 */
const ownRows = `
@ https://developers.openai.com/api/docs/pricing
gpt-6.1-sol 2 10 0.1 2.5 >272000 4 15 0.2 5
gpt-6.1-terra 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai-decisions/gpt-6-luna 0.1
@ https://platform.claude.com/docs
claude-sonnet-5-5 2 10 0.1 2.5
claude-haiku-5-5 0.1 0.5 0.01 0.125
@ https://mistral.ai/pricing
mistral-large-latest 2 6 2025-12-02 .5 1.5 .05
mistral-small-latest .1 .3 2026-03-16 .15 .6 .015
@zai/ https://docs.z.ai/guides/overview/pricing
glm-5.1,glm-5.2,glm-5.3 1.4 4.4 .26
glm-5.3-flash .15 .5 .03
glm-5 1 3.2 .2
glm-4.6,glm-4.7 .6 2.2 .11
@together/ https://www.together.ai/pricing
meta-llama/llama-3.3-70b-instruct-turbo .88 .88 2026-11-26 1.04 1.04
@deepseek/ https://api-docs.deepseek.com/quick_start/pricing
deepseek-flash 2026-09-10T04:00 ${flash} ${withHolidays(flash)}
deepseek-v4-flash 0.14 0.28 0.0028 2026-08-16T16:00 0.22 0.66 0.007 ${peak} 0.44 1.32 0.014 2026-08-23 0.22 0.66 0.007 ${weekdayPeak} 0.44 1.32 0.014 2026-09-10T04:00 ${flash} ${withHolidays(flash)}
deepseek-v4-pro 0.435 0.87 0.003625 2026-08-16T16:00 0.66 1.98 0.022 ${peak} 1.32 3.96 0.044 2026-08-23 ${pro} ${withHolidays(pro)}
`;

const ownModels = Array.from(parseRows(ownRows.trim().split("\n")), ([name, model]): [string, ListedModel] => [
  name,
  { ...model, readOn: "2026-11-26" },
]);

/**
 * Prices of models by the maker's model name, of Bedrock's models by their id without version, and of
 * other hosts' as `<host>/<id>`, at the standard tier. The operator's own prices (setting `prices`) win.
 */
export const priceList: ReadonlyMap<string, ListedModel> = new Map([
  ...parseRows(makerRows),
  ...parseRows(hostRows),
  ...ownModels,
]);

/**
 * Returns the highest of the prices that a list has for its own day and later, which holds when a temporary promotion ends: a
 * spending ceiling is computed from it.
 */
export const ceilingPrice = ({ prices, readOn }: ListedModel): Price => {
  const usual = prices.filter(({ above }) => above === 0);
  const current = usual.findLast(({ from }) => from === null || from <= readOn);
  const later = usual.filter(({ from }) => from !== null && from > readOn);
  const { from, input, cached, output, written } = [...(current === undefined ? [] : [current]), ...later].reduce(
    (a, b) => (b.input > a.input ? b : a),
  );
  const long = prices.find((price) => price.from === from && price.above > 0);
  return {
    input,
    cached,
    output,
    written,
    ...(long && {
      long: {
        above: long.above,
        input: long.input,
        cached: long.cached,
        output: long.output,
        written: long.written,
      },
    }),
  };
};
