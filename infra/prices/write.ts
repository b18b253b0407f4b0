/** Entry point of `npm run prices`: writes the price lists of `lib/prices` from the data of `@pydantic/genai-prices`. */
import { writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  calcPrice,
  findProvider,
  type ConditionalPrice,
  type MatchLogic,
  type ModelInfo,
} from "@pydantic/genai-prices";
import { hostSections, makerSections, type Section } from "./sections.ts";

/** Models that are not billed by tokens of text alone. */
const otherMedia =
  /tts|audio|image|live|realtime|sonic|voxtral|transcribe|whisper|vision|video|search|moderation|ocr|dall|sora|computer-use|omni/u;

/** Ending of a dated version, which look-ups drop. */
const versionDate = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|00\d|latest)$/u;

/** Spelling of OpenAI's versions with a dash, `gpt-5-4`, which look-ups replace by a dot. */
const dashedVersion = /^gpt-(\d)-(\d)/u;

/** Ending of OpenRouter's ids that has no effect on the price. */
const variant = /:(?:beta|extended|thinking)$/u;

/** Removes duplicates, and spellings that look-ups map to another name of the model. */
const distinctNames = (names: readonly string[]): readonly string[] => {
  const distinct = new Set(names);
  return [...distinct].filter((name) =>
    [name.replace(versionDate, ""), name.replace(dashedVersion, "gpt-$1.$2")].every(
      (mapped) => mapped === name || !distinct.has(mapped),
    ),
  );
};

const namesIn = (match: MatchLogic): readonly string[] => {
  if ("equals" in match) return [match.equals];
  if ("or" in match) return match.or.flatMap(namesIn);
  return [];
};

type KindPrice = ConditionalPrice["prices"][string];

/** Returns the lengths of prompts above which a maker charges other prices. */
const lengthsIn = ({ prices }: ConditionalPrice): readonly number[] =>
  [
    ...new Set(
      Object.values(prices).flatMap((price) =>
        typeof price === "object" ? price.tiers.map(({ start }) => start) : [],
      ),
    ),
  ].toSorted((a, b) => a - b);

/** Rounds a price to the precision of price lists. */
const rounded = (price: number | undefined): number | undefined =>
  price === undefined ? undefined : Math.round(price * 1e6) / 1e6;

/** Returns the price of prompts just above a length; 0 for short ones. */
const priceAbove = (price: KindPrice, length: number): number | undefined =>
  rounded(
    typeof price === "object" ? (price.tiers.findLast(({ start }) => start <= length)?.price ?? price.base) : price,
  );

/** Prices of sound, by their names in a row. */
const soundPrices = [
  ["audio", "input_audio_mtok"],
  ["audioCached", "cache_audio_read_mtok"],
  ["audioOutput", "output_audio_mtok"],
] as const;

/** Returns input, output, cached and written price, then those of sound; trailing defaults are left out, none without an input price. */
const columnsIn = (price: ConditionalPrice, length: number): readonly (number | string)[] => {
  const usual = usualColumnsIn(price, length);
  const ofSound = soundPrices.flatMap(([name, kind]) => {
    const dollars = priceAbove(price.prices[kind], length);
    return dollars === undefined ? [] : [`${name}=${dollars}`];
  });
  return usual.length === 0 ? [] : [...usual, ...ofSound];
};

const usualColumnsIn = ({ prices }: ConditionalPrice, length: number): readonly number[] => {
  const [input, output = 0, cached = input, written = input] = ["input", "output", "cache_read", "cache_write"].map(
    (kind) => priceAbove(prices[`${kind}_mtok`], length),
  );
  if (input === undefined || cached === undefined || written === undefined) return [];
  if (written !== input) return [input, output, cached, written];
  return cached === input ? [input, output] : [input, output, cached];
};

/** Returns the prices of a model in the form of a row; empty for prices by the time of day. */
const pricesOf = ({ prices }: Pick<ModelInfo, "prices">): string => {
  const list = Array.isArray(prices) ? prices : [{ prices }];
  if (list.some(({ constraint }) => constraint?.type === "time_of_date")) return "";
  const dated = list.map((price) => ({
    columns: [0, ...lengthsIn(price)]
      .map((length) => (length === 0 ? "" : `>${length} `) + columnsIn(price, length).join(" "))
      .join(" "),
    constraint: price.constraint,
  }));
  return dated
    .filter(({ columns }, at) => columns !== "" && columns !== dated[at - 1]?.columns)
    .map(({ columns, constraint }) =>
      constraint?.type === "start_date" ? `${constraint.start_date} ${columns}` : columns,
    )
    .join(" ")
    .replaceAll(/([ =])0\./gu, "$1.")
    .replace(/^0\./u, ".");
};

/** True if a look-up of `name` has the prices without a row of its own. */
type IsImplied = (name: string, prices: string) => boolean;

/** Returns the rows of a section, models of the same prices in one row. */
const rowsOf = (
  { prefix, provider, isIncluded, isExcluded, nameOf, alsoNamed }: Section,
  isImplied: IsImplied,
): readonly string[] => {
  const models = (findProvider({ providerId: provider })?.models ?? []).filter(({ id }) => !otherMedia.test(id));
  const named = models.map((model) => {
    const names = [model.id, ...namesIn(model.match)]
      .map((name) => name.toLowerCase())
      .filter((name) => isIncluded.test(name) && !isExcluded.test(name))
      .map(nameOf);
    return { names: distinctNames(names), prices: pricesOf(model) };
  });
  const matched = alsoNamed.map((name) => {
    const model = calcPrice({}, name, { providerId: provider })?.model;
    if (model === undefined) throw new Error(`${provider} has no price of ${name}.`);
    return { names: [name], prices: pricesOf(model) };
  });
  const groups = Map.groupBy([...named, ...matched], ({ prices }) => prices);
  return Array.from(groups, ([prices, group]) => {
    const all = new Set(group.flatMap((model) => model.names));
    const names = [...all]
      .filter(
        (name) => !isImplied(prefix + name, prices) && !(variant.test(name) && all.has(name.replace(variant, ""))),
      )
      .toSorted();
    return prices === "" || names.length === 0 ? [] : [`${names.join(",")} ${prices}`];
  })
    .flat()
    .toSorted();
};

const write = (file: string, sections: readonly Section[], isImplied: IsImplied = () => false): void => {
  const rows = sections.flatMap((section, at) => {
    const source = section.source === sections[at - 1]?.source ? "" : ` ${section.source}`;
    return [`@${section.prefix}${source}`, ...rowsOf(section, isImplied)];
  });
  writeFileSync(new URL(`../../lib/prices/${file}`, import.meta.url), `${JSON.stringify(rows, null, 2)}\n`);
};

write("maker-rows.json", makerSections);

// Imported when the makers' rows are written, since OpenRouter's price of a model is the maker's unless a row says otherwise.
const { parseRows } = await import("../../lib/prices/listed-models.ts");
const { listedByReseller } = await import("../../lib/prices/model-names.ts");
write("host-rows.json", hostSections, (name, prices) =>
  isDeepStrictEqual(
    listedByReseller(name.replace(/^openrouter\//u, ""))?.prices,
    parseRows([`${name} ${prices}`]).get(name)?.prices,
  ),
);
