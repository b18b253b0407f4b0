import * as v from "valibot";
import { replyInstant, oneOf, page, paging } from "../fields.ts";
import { route } from "../route.ts";

const dollars = (of: string) => v.pipe(v.number(), v.description(`US dollars per million ${of}.`));

const price = v.pipe(
  v.object({
    model: v.pipe(
      v.string(),
      v.description(
        "The name that spans have for the model, in any case; in the operator's list `*` stands for any characters.",
      ),
    ),
    list: v.pipe(
      oneOf(["operator", "service"]),
      v.description("Whose price it is. The operator's takes the place of the service's from its date on."),
    ),
    from: v.pipe(
      v.nullable(replyInstant),
      v.description("When it begins to hold, of the start of a span; null: always."),
    ),
    input: dollars("prompt tokens that are neither read from a cache nor written to it"),
    output: dollars("completion tokens"),
    cached: dollars("prompt tokens read from a cache"),
    written: dollars("prompt tokens written to a cache"),
    reasoning: dollars("completion tokens that the model thought in"),
    source: v.pipe(v.nullable(v.string()), v.description("Where it was read.")),
    read_on: v.pipe(v.nullable(v.string()), v.description("The day on which it was read, `YYYY-MM-DD`.")),
  }),
  v.title("ModelPrice"),
  v.description("What the tokens of a model cost."),
  v.examples([
    {
      model: "gpt-5.4-mini",
      list: "service" as const,
      from: null,
      input: 0.75,
      output: 4.5,
      cached: 0.075,
      written: 0.75,
      reasoning: 4.5,
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
  summary: "List what models cost: the operator's prices, then the service's",
  description:
    "A span that comes with a model, with tokens and without a cost is stored with the price of that day, and shows " +
    '`cost {input, output, total, source: "price_list"}`; what its client says it cost always wins. The service\'s models are ' +
    "found under their makers' names, dated versions and the name of a reseller in front included (`openai/`, `bedrock/`, " +
    "`openrouter/anthropic/`); a model that is not listed costs 0, and its tokens are `unpriced_tokens`. Of the operator's " +
    "patterns that match a name the one that says most counts. Prompt tokens are taken to include what was read from a cache " +
    "(`cache_read_tokens`) and written to it (`cache_write_tokens`), completion tokens to include `reasoning_tokens`. What is " +
    "stored does not change with the list.",
  access: "project",
  permission: "read",
  query: v.object(paging),
  success: 200,
  reply: page(price),
  grants: {},
});
