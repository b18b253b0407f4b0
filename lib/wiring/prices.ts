import { exactOptional, minValue, number, object, parse, pipe, record, string } from "valibot";
import { variables } from "./environment.ts";
import type { Prices } from "../judge/prices/price.ts";
import { jsonSetting } from "./json-setting.ts";

const dollars = pipe(number(), minValue(0));

const schema = record(
  string(),
  object({ input: dollars, output: dollars, cached: exactOptional(dollars), written: exactOptional(dollars) }),
);

/**
 * The operator's own prices, from a function's environment; what is read from the cache or written to it costs what other
 * input does unless they say otherwise.
 *
 * @throws Error when `JUDGE_PRICES` is there and not of its form: a function that is configured wrong must not start.
 */
export const ownPrices = (environment: Readonly<Record<string, string | undefined>> = process.env): Prices => {
  const given = jsonSetting(variables.judgePrices, environment);
  if (given === undefined) return new Map();
  const prices = Object.entries(parse(schema, given));
  return new Map(
    prices.map(([model, { input, output, cached = input, written = input }]) => [
      model,
      { input, output, cached, written },
    ]),
  );
};
