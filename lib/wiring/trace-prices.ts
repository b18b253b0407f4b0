import { array, exactOptional, minValue, number, object, parse, pipe, string } from "valibot";
import { parseInstant } from "../domain/instant.ts";
import type { PriceOf } from "../domain/traces/span-cost.ts";
import type { Database } from "../dynamo/database.ts";
import { tracePrices, type OperatorPrice } from "../prices/trace-prices.ts";
import { maskedTraces, type MaskedTraces } from "../store/traces/masked.ts";
import { traceStore } from "../store/traces/save.ts";
import { retentionDays, variables } from "./environment.ts";
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
    audio: exactOptional(dollars),
    audioCached: exactOptional(dollars),
    audioOutput: exactOptional(dollars),
    writtenHour: exactOptional(dollars),
    from: exactOptional(string()),
    source: exactOptional(string()),
    readOn: exactOptional(string()),
  }),
);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the operator's prices of the models in traces from the environment variable `TRACE_PRICES`. Unless the setting has
 * prices for them, cache reads and writes cost as much as other input, and reasoning tokens as much as other output; tokens of sound and
 * those written to a cache for an hour are unpriced.
 *
 * @throws Error if the setting is malformed: a misconfigured function must not start.
 */
export const operatorTracePrices = (environment: Environment = process.env): readonly OperatorPrice[] => {
  const setting = jsonSetting(variables.tracePrices, environment);
  if (setting === undefined) return [];
  return parse(schema, setting).map(({ cached, written, reasoning, from, source, readOn, ...price }) =>
    Object.assign(price, {
      cached: cached ?? price.input,
      written: written ?? price.input,
      reasoning: reasoning ?? price.output,
      from: from === undefined ? null : parseInstant(from),
      source: source ?? null,
      readOn: readOn ?? null,
    }),
  );
};

/** Returns the price lookup for models in traces: built-in prices, overridden by those of the operator. @throws Error if `TRACE_PRICES` is malformed. */
export const environmentPrices = (): PriceOf => tracePrices(operatorTracePrices());

/** Creates the store of traces that clients send, with retention and model prices from the environment. @throws Error if the retention is not set. */
export const environmentTraces = (database: Database): MaskedTraces =>
  maskedTraces(traceStore(database, retentionDays(), Date.now, environmentPrices()));
