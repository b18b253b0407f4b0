import { exactOptional, minValue, number, object, parse, pipe, record, string } from "valibot";
import { variables } from "./environment.ts";
import type { Prices } from "../prices/price.ts";
import { jsonSetting } from "./json-setting.ts";

const dollars = pipe(number(), minValue(0));

const schema = record(
  string(),
  object({ input: dollars, output: dollars, cached: exactOptional(dollars), written: exactOptional(dollars) }),
);

/**
 * Reads the operator's prices of judge models from the environment variable `JUDGE_PRICES`. Cache reads and writes cost as much
 * as other input unless the setting has prices for them.
 *
 * @throws Error if the setting is malformed: a misconfigured function must not start.
 */
export const operatorPrices = (environment: Readonly<Record<string, string | undefined>> = process.env): Prices => {
  const setting = jsonSetting(variables.judgePrices, environment);
  if (setting === undefined) return new Map();
  const prices = Object.entries(parse(schema, setting));
  return new Map(
    prices.map(([model, { input, output, cached = input, written = input }]) => [
      model,
      { input, output, cached, written },
    ]),
  );
};
