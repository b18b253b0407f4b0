import * as v from "valibot";
import { replyInstant, oneOf, page, paging } from "../schema/fields.ts";
import { route } from "../route.ts";

const dollars = (tokenKind: string) =>
  v.pipe(v.number(), v.description(`Price in US dollars per million ${tokenKind}.`));

const rareDollars = (tokenKind: string) =>
  v.pipe(
    v.nullable(v.number()),
    v.description(`Price in US dollars per million ${tokenKind}; null if they are unpriced.`),
  );

const price = v.pipe(
  v.object({
    model: v.pipe(
      v.string(),
      v.description("Model name as in spans, case-insensitive; in the operator's list `*` matches any characters."),
    ),
    list: v.pipe(
      oneOf(["operator", "service"]),
      v.description(
        "Price list of the entry; from its date on, an operator price replaces the service price of the model.",
      ),
    ),
    from: v.pipe(
      v.nullable(replyInstant),
      v.description("Start of validity, compared with the start of a span; null if always valid."),
    ),
    prompt_above: v.pipe(
      v.nullable(v.number()),
      v.description("Number of prompt tokens above which the price applies instead; null if it applies to any prompt."),
    ),
    hours: v.pipe(
      v.nullable(v.string()),
      v.description(
        "Hours (UTC) in which the price applies instead, as `01:00-04:00,06:00-10:00`, behind `weekdays,` if not at weekends; null if it applies at any hour.",
      ),
    ),
    input: dollars("prompt tokens that are neither read from a cache nor written to it"),
    output: dollars("completion tokens"),
    cached: dollars("prompt tokens read from a cache"),
    written: dollars("prompt tokens written to a cache"),
    reasoning: dollars("reasoning tokens, which are part of the completion tokens"),
    audio: rareDollars("prompt tokens of sound"),
    audio_cached: rareDollars("prompt tokens of sound read from a cache"),
    audio_output: rareDollars("completion tokens of sound"),
    written_1h: rareDollars("prompt tokens written to a cache for an hour"),
    service_tiers: v.pipe(
      v.array(
        v.object({
          tier: v.string(),
          share: v.pipe(v.number(), v.description("Price as a share of the standard price.")),
          cached_share: v.pipe(v.number(), v.description("The same for prompt tokens read from a cache.")),
        }),
      ),
      v.description(
        "Prices at other service tiers; a call at a tier that is not listed has no price. Operator prices hold at any tier.",
      ),
    ),
    source: v.pipe(v.nullable(v.string()), v.description("URL or name of the source of the price.")),
    read_on: v.pipe(
      v.nullable(v.string()),
      v.description("Day on which the price was taken from its source, as `YYYY-MM-DD`."),
    ),
  }),
  v.title("ModelPrice"),
  v.description("Token prices of a model."),
  v.examples([
    {
      model: "gpt-5.4-mini",
      list: "service" as const,
      from: null,
      prompt_above: null,
      hours: null,
      input: 0.75,
      output: 4.5,
      cached: 0.075,
      written: 0.75,
      reasoning: 4.5,
      audio: null,
      audio_cached: null,
      audio_output: null,
      written_1h: null,
      service_tiers: [
        { tier: "batch", share: 0.5, cached_share: 0.5 },
        { tier: "flex", share: 0.5, cached_share: 0.5 },
      ],
      source: "https://developers.openai.com/api/docs/pricing",
      read_on: "2026-11-21",
    },
  ]),
);

export const listPrices = route({
  id: "listPrices",
  method: "GET",
  path: "/prices",
  handler: "api/traces/list-prices",
  summary: "List model prices",
  description:
    "Operator prices come first, then service prices. A span with a model and tokens but without a cost is stored with the price " +
    'at that time, as `cost {input, output, total, source: "price_list"}`; a cost from the client always takes precedence (0 in telemetry is none: instrumentations without a price send it). Service ' +
    "prices also match dated versions of a model and names with what gateways and clouds write around them (`azure/`, `bedrock/`, " +
    "`openrouter/anthropic/`, ARNs, paths of Vertex AI). Open models have the price of the host that " +
    'the span\'s provider, server or `metadata["gen_ai.provider.name"]` names, listed as `<host>/<model>`. If several operator patterns match, the most specific one applies. A model without a price costs ' +
    "0, and its tokens count as `unpriced_tokens`, as do tokens of a kind that it has no price for. Token usage may have the names of OpenAI, Anthropic, " +
    "Google, Bedrock, LangChain or Langfuse: prompt tokens (`prompt_tokens`) include tokens read from a cache (`cache_read_tokens`) and " +
    "written to it (`cache_write_tokens`), and completion tokens (`completion_tokens`) `reasoning_tokens`, unless the maker counts them apart, " +
    "`total_tokens` says otherwise or they are more. What only `total_tokens` has is unpriced, but for Gemini's thinking. The service tier of a " +
    "call is `service_tier` in its token usage. Changes of the list affect stored " +
    "spans only through a repricing.\n\n" +
    "Usage that several spans report counts once in a trace, from its innermost spans out; prompt tokens, completion tokens and " +
    "clients' costs each on their own. A span's usage counts where no span within it reports any: an agent that alone reports " +
    "usage has that of the trace. Around spans with usage it counts only if it is a model call and names another model than they do; " +
    "of a total (see `POST /v1/traces`) only what exceeds their sum. Prices of this list apply to counted tokens without a client's cost on " +
    "their span, around it, or on a span without tokens within it.",
  access: "project",
  permission: "read",
  query: v.object(paging),
  success: 200,
  reply: page(price),
  grants: {},
});
