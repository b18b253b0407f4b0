import { array, exactOptional, minValue, number, object, parse, pipe, string } from "valibot";
import { parseInstant } from "../domain/instant.ts";
import type { PriceOf } from "../domain/traces/priced.ts";
import { tracePrices, type OwnPrice } from "../judge/prices/trace-prices.ts";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

const dollars = pipe(number(), minValue(0));

const schema = array(
  object({
    model: string(),
    input: dollars,
    output: dollars,
    cached: exactOptional(dollars),
    written: exactOptional(dollars),
    reasoning: exactOptional(dollars),
    from: exactOptional(string()),
    source: exactOptional(string()),
    readOn: exactOptional(string()),
  }),
);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The operator's own prices of the models of traces, from a function's environment; what is read from a cache or written to it
 * costs what other input does unless they say otherwise, and what is thought what is said.
 *
 * @throws Error when `TRACE_PRICES` is there and not of its form: a function that is configured wrong must not start.
 */
export const ownTracePrices = (environment: Environment = process.env): readonly OwnPrice[] => {
  const given = jsonSetting(variables.tracePrices, environment);
  if (given === undefined) return [];
  return parse(schema, given).map(({ input, output, cached, written, reasoning, from, source, readOn, model }) => ({
    model,
    input,
    output,
    cached: cached ?? input,
    written: written ?? input,
    reasoning: reasoning ?? output,
    from: from === undefined ? null : parseInstant(from),
    source: source ?? null,
    readOn: readOn ?? null,
  }));
};

/** What models cost by this function's environment. @throws Error as `ownTracePrices`. */
export const environmentPrices = (): PriceOf => tracePrices(ownTracePrices());
