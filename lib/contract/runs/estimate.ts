import * as v from "valibot";
import { flag } from "../list-query.ts";

const integer = v.pipe(v.number(), v.integer());

/** What a run would come to. */
export const runEstimate = v.pipe(
  v.object({
    targets: v.pipe(integer, v.description("Exact: after sampling.")),
    judge_calls: v.pipe(
      integer,
      v.description("Calls if none is repeated: those of the metrics, and once a target what several of them need."),
    ),
    prompt_tokens: v.pipe(
      integer,
      v.description(
        "1,000 a call, and the documents of up to 20 targets as a judge is shown them, four characters a token. The " +
          "provider's cache is not counted on.",
      ),
    ),
    completion_tokens: v.pipe(integer, v.description("600 a call.")),
    cost_usd: v.pipe(
      v.nullable(v.number()),
      v.description("Of these tokens, without embeddings; null when the model's price is not known."),
    ),
    set_aside_usd: v.pipe(
      v.nullable(v.number()),
      v.description(
        "What a ceiling sets aside for each judgement until its cost is known: the dearest there can be. A `max_cost_usd` below " +
          "`cost_usd` and this once more may end the run before all is judged.",
      ),
    ),
  }),
  v.title("RunEstimate"),
  v.description("What a run would come to, estimated. Nothing is made and no judge is called."),
  v.examples([
    {
      targets: 120,
      judge_calls: 360,
      prompt_tokens: 812000,
      completion_tokens: 90000,
      cost_usd: 0.383,
      set_aside_usd: 0.029,
    },
  ]),
);

export const creationQuery = v.object({
  dry_run: v.optional(
    v.pipe(
      flag,
      v.description("Whether to answer 200 with an estimate of what the run would come to, and make nothing."),
    ),
    ["false"],
  ),
});
