/** Entry point of `npm run prices`: writes the price lists of `lib/prices` from the data of `@pydantic/genai-prices`. */
import { readFileSync, writeFileSync } from "node:fs";
import {
  calcPrice,
  findProvider,
  type ConditionalPrice,
  type MatchLogic,
  type ModelInfo,
} from "@pydantic/genai-prices";
import { hostedSections, makerSections, type Section } from "./sections.ts";

/** Models that are not billed by tokens of text alone. */
const otherMedia =
  /tts|audio|image|live|realtime|sonic|voxtral|transcribe|whisper|vision|video|search|moderation|ocr|dall|sora|computer-use|omni/u;

/** Ending of a dated version, which look-ups drop. */
const versionDate = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|00\d|latest)$/u;

/** Spelling of OpenAI's versions with a dash, `gpt-5-4`, which look-ups replace by a dot. */
const dashedVersion = /^gpt-(\d)-(\d)/u;

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

/** Returns the price below the length of prompts from which a maker charges more. */
const basePrice = (price: ConditionalPrice["prices"][string]): number | undefined =>
  typeof price === "object" ? price.base : price;

/** Returns input, output, cached and written price. */
const columnsIn = ({ prices }: ConditionalPrice) =>
  ["input", "output", "cache_read", "cache_write"].map((kind) => basePrice(prices[`${kind}_mtok`]));

/** Returns the prices of a model by their first day; none for a model with prices by the time of day. */
const datedPrices = ({ prices }: Pick<ModelInfo, "prices">): readonly ConditionalPrice[] => {
  const list = Array.isArray(prices) ? prices : [{ prices }];
  if (list.some(({ constraint }) => constraint?.type === "time_of_date")) return [];
  const columnsOf = (price: ConditionalPrice | undefined) => price && String(columnsIn(price));
  return list.filter((price, at) => columnsOf(price) !== columnsOf(list[at - 1]));
};

/** Returns a row of a price list: names, input, output, cached, written and first day; trailing defaults are left out. */
const rowOf = (names: readonly string[], price: ConditionalPrice): readonly string[] => {
  const [input, output = 0, cached, written] = columnsIn(price);
  if (input === undefined) return [];
  const { constraint } = price;
  const from = constraint?.type === "start_date" ? constraint.start_date : undefined;
  const columns = [input, output, cached ?? input, written ?? input, from];
  const defaults = [undefined, undefined, input, input, undefined];
  while (columns.at(-1) === defaults[columns.length - 1]) columns.pop();
  return [[names.join(","), ...columns].join(" ")];
};

const nameOfRow = (row: string): string => row.slice(0, row.indexOf(" "));

/** Returns the rows of a section, and those of names that only the publisher's patterns match. */
const rowsOf = ({ provider, isIncluded, isExcluded, nameOf, alsoNamed }: Section): readonly string[] => {
  const models = findProvider({ providerId: provider })?.models ?? [];
  const rows = models.flatMap((model) => {
    if (otherMedia.test(model.id)) return [];
    const names = [model.id, ...namesIn(model.match)]
      .map((name) => nameOf(name.toLowerCase()))
      .filter((name) => isIncluded.test(name) && !isExcluded.test(name));
    return names.length === 0 ? [] : datedPrices(model).flatMap((price) => rowOf(distinctNames(names), price));
  });
  const matched = alsoNamed.flatMap((name) => {
    const model = calcPrice({}, name, { providerId: provider })?.model;
    if (model === undefined) throw new Error(`${provider} has no price of ${name}.`);
    return datedPrices(model).flatMap((price) => rowOf([name], price));
  });
  return [...new Set([...rows, ...matched])].toSorted((a, b) =>
    nameOfRow(a) < nameOfRow(b) ? -1 : Number(nameOfRow(a) > nameOfRow(b)),
  );
};

const publisher: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../node_modules/@pydantic/genai-prices/package.json", import.meta.url), "utf8"),
);

const write = (file: string, name: string, subject: string, sections: readonly Section[]): void => {
  const text = sections.map((section) => [`@${section.prefix} ${section.source}`, ...rowsOf(section)].join("\n"));
  writeFileSync(
    new URL(`../../lib/prices/${file}`, import.meta.url),
    `/**\n * Prices ${subject}, written by \`npm run prices\` from @pydantic/genai-prices ${publisher.version} (MIT). A line \`@prefix source\` begins a\n` +
      " * section, whose names have the prefix. A row has names, then US dollars per million tokens of input, output, cached and written input (the input price\n" +
      " * if absent), and the first day.\n" +
      ` */\nexport const ${name} = \`\n${text.join("\n")}\n\`;\n`,
  );
};

write("maker-rows.ts", "makerRows", "of the models' makers and of Bedrock", makerSections);
write("openrouter-rows.ts", "openRouterRows", "of OpenRouter", hostedSections);
