import * as v from "valibot";
import { parseInstant } from "../../lib/domain/instant.ts";
import { resolveModel } from "../../lib/domain/runs/model.ts";
import { providerCatalogue, type ProviderKey } from "../../lib/judge/providers/provider-settings.ts";
import { wholeNumberField } from "./values.ts";

/** Name of an SSM parameter; AWS reserves names that begin with `aws` or `ssm`. */
const parameterName = v.pipe(
  v.string("must be the name of an SSM parameter"),
  v.regex(
    /^\/(?!aws|ssm)[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/u,
    "must be the name of an SSM parameter, such as /assay/prod/key",
  ),
);

const provider = v.strictObject(
  { key: v.exactOptional(parameterName), baseUrl: v.exactOptional(parameterName) },
  (issue) => (issue.expected === "never" ? "is not a setting" : "must be an object"),
);

const keys = providerCatalogue.map(({ key }) => key);

/** Setting type: names of the SSM parameters (SecureString) with key and base URL, by provider. */
export const providersSetting = v.record(v.picklist(keys, "is not a provider"), provider, "must be an object");

/** Names of the SSM parameters by provider; providers without an entry are not configured. */
export type Providers = Readonly<Partial<Record<ProviderKey, v.InferOutput<typeof provider>>>>;

/** Setting type: a model, `<provider>/<model>`. */
export const modelSetting = v.pipe(
  v.string("must be text"),
  v.check((name) => resolveModel(name) !== null, "must have the form <provider>/<model>"),
  v.check((name) => !/\s/u.test(name), "must not contain blanks"),
);

/** Setting type: patterns of the models that may be asked. */
export const judgeModelsSetting = v.pipe(
  v.array(
    v.pipe(
      v.string("must be text"),
      v.regex(
        /^(?:priced|[^/]+\/.+)$/u,
        "must be priced or have the form <provider>/<model>, in which * matches any characters",
      ),
    ),
    "must be a list",
  ),
  v.minLength(1, "must not be empty"),
);

/** Dollars per million tokens: a third of the lowest listed price, and more than the highest price of a single token, $0.0006. */
const leastPrice = 0.001;

const price = v.pipe(
  v.number("must be US dollars"),
  v.finite("must be a finite number"),
  v.minValue(0, "must not be negative"),
  v.check((dollars) => dollars <= 0 || dollars >= leastPrice, "must be US dollars per million tokens, not per token"),
);

/** Setting type: the operator's prices by model, US dollars per million tokens; without `cached` and `written`, cache tokens cost as much as `input`. */
export const pricesSetting = v.record(
  v.pipe(v.string(), v.regex(/^[^/*]+\/[^*]+$/u, "must have the form <provider>/<model>, without *")),
  v.strictObject(
    { input: price, output: price, cached: v.exactOptional(price), written: v.exactOptional(price) },
    (issue) => (issue.expected === "never" ? "is not a price" : "must be an object"),
  ),
  "must be an object",
);

const date = v.pipe(
  v.string("must be a date such as 2026-11-21"),
  v.check((text) => text.length === 10 && parseInstant(text) !== null, "must be a date such as 2026-11-21"),
);

/**
 * Setting type: the operator's prices of the models in traces, US dollars per million tokens, by model name pattern and start
 * date. Without `cached` and `written`, cache tokens cost as much as `input`; without `reasoning`, reasoning tokens as much as `output`.
 * Tokens of sound and those written to a cache for an hour are unpriced without `audio`, `audioCached`, `audioOutput` and `writtenHour`.
 */
export const tracePricesSetting = v.array(
  v.strictObject(
    {
      model: v.pipe(v.string("must be a model's name"), v.trim(), v.minLength(1, "must be a model's name")),
      from: v.exactOptional(date),
      input: price,
      output: price,
      cached: v.exactOptional(price),
      written: v.exactOptional(price),
      reasoning: v.exactOptional(price),
      audio: v.exactOptional(price),
      audioCached: v.exactOptional(price),
      audioOutput: v.exactOptional(price),
      writtenHour: v.exactOptional(price),
      source: v.exactOptional(v.string("must be text")),
      readOn: v.exactOptional(date),
    },
    (issue) => (issue.expected === "never" ? "is not part of a price" : "must be an object"),
  ),
  "must be a list",
);

const money = "must be a number of US dollars above 0";

/** Characters of a transcript: fewer than 5,000 are not enough to judge, and no model reads more than 4,000,000. */
const characters = wholeNumberField(5000, 4_000_000);

const share = "must be a number from 0 to 1";

/**
 * Request dialect of a provider: its answer format, its name for the output token limit, that limit, and the time-out of a call, for
 * which a worker has 160 seconds.
 */
const dialect = <const Formats extends readonly [string, ...string[]]>(formats: Formats) =>
  v.strictObject(
    {
      answerFormat: v.exactOptional(v.picklist(formats, `must be one of ${formats.join(", ")}`)),
      outputLimit: v.exactOptional(
        v.picklist(["max_tokens", "max_completion_tokens"], "must be one of max_tokens, max_completion_tokens"),
      ),
      outputTokens: v.exactOptional(wholeNumberField(256, 1_000_000)),
      callSeconds: v.exactOptional(wholeNumberField(10, 150)),
    },
    (issue) => (issue.expected === "never" ? "is not a setting" : "must be an object"),
  );

const openAiDialect = dialect(["json_schema", "json_object", "text"]);

/** Setting type: request dialects by provider; absent values are detected from the provider's refusals. */
export const dialectsSetting = v.strictObject(
  {
    openai: v.exactOptional(openAiDialect),
    gemini: v.exactOptional(openAiDialect),
    vertex_ai: v.exactOptional(openAiDialect),
    openrouter: v.exactOptional(openAiDialect),
    custom: v.exactOptional(openAiDialect),
    bedrock: v.exactOptional(dialect(["forced_tool", "tool", "text"])),
  },
  (issue) => (issue.expected === "never" ? "is not a provider with a configurable dialect" : "must be an object"),
);

/** Setting type: reasoning efforts in the provider's words, such as `low`, by `<provider>/<model>`. */
export const effortsSetting = v.record(
  v.pipe(v.string(), v.regex(/^[^/]+\/.+$/u, "must have the form <provider>/<model>")),
  v.pipe(v.string("must be text"), v.regex(/^[a-z]{1,16}$/u, "must be a word such as low, medium or high")),
  "must be an object",
);

/** Setting type: transcript limits of judges. Characters by `<provider>/<model>` or `default`, pictures by model, and the minimum share of a trace for a verdict. */
export const transcriptsSetting = v.strictObject(
  {
    characters: v.exactOptional(
      v.record(
        v.pipe(v.string(), v.regex(/^(?:default|[^/]+\/.+)$/u, "must be default or have the form <provider>/<model>")),
        characters,
        "must be an object",
      ),
    ),
    pictures: v.exactOptional(
      v.record(
        v.pipe(v.string(), v.regex(/^[^/]+\/.+$/u, "must have the form <provider>/<model>")),
        wholeNumberField(0, 8),
        "must be an object",
      ),
    ),
    leastCoverage: v.exactOptional(v.pipe(v.number(share), v.minValue(0, share), v.maxValue(1, share))),
  },
  (issue) => (issue.expected === "never" ? "is not a setting" : "must be an object"),
);

/** Setting type: a cost ceiling in US dollars. */
export const ceilingSetting = v.pipe(
  v.number(money),
  v.gtValue(0, money),
  v.maxValue(1e9, "must be at most 1000000000"),
);

/**
 * Returns the default SSM parameter names of a stage, by provider. Bedrock is not included: its calls need an IAM permission
 * instead of a key, so the operator has to add it.
 */
export const defaultProviders = (stage: string): Providers => {
  const parameter = (provider: ProviderKey, setting: string): string => `/assay/${stage}/judge/${provider}/${setting}`;
  const keyOf = (provider: ProviderKey) => ({ key: parameter(provider, "key") });
  const baseUrlOf = (provider: ProviderKey) => ({ baseUrl: parameter(provider, "base-url") });
  return {
    openai: { ...keyOf("openai"), ...baseUrlOf("openai") },
    anthropic: keyOf("anthropic"),
    gemini: keyOf("gemini"),
    vertex_ai: { ...keyOf("vertex_ai"), ...baseUrlOf("vertex_ai") },
    openrouter: keyOf("openrouter"),
    custom: { ...keyOf("custom"), ...baseUrlOf("custom") },
    "openai-decisions": { ...keyOf("openai"), ...baseUrlOf("openai") },
    systemone: { ...keyOf("systemone"), ...baseUrlOf("systemone") },
    ...(stage === "local" && { offline: baseUrlOf("offline") }),
  };
};
