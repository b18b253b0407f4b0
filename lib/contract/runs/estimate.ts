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
        "Some 1,100 a call, and the documents of up to 20 targets as a judge is shown them, their tokens reckoned by script: " +
          "3.3 characters a token of Latin text, 1.6 of Chinese, 1.4 of kana, 2.1 of base64. Corrected by what the " +
          "newest judgements of each metric by this model really took. The provider's cache is not counted on.",
      ),
    ),
    completion_tokens: v.pipe(integer, v.description("600 a call, corrected likewise.")),
    cost_usd: v.pipe(
      v.nullable(v.number()),
      v.description("Of these tokens, without embeddings; null when the model's price is not known."),
    ),
    set_aside_usd: v.pipe(
      v.nullable(v.number()),
      v.description(
        "What a ceiling sets aside for the dearest of these judgements until its cost is known, and no estimate: a token for " +
          "each byte of its prompts, its answers' limit of tokens, each question asked twice. With a `max_cost_usd` of " +
          "`cost_usd` and this once more nothing is held back.",
      ),
    ),
    least_usd: v.pipe(
      v.nullable(v.number()),
      v.description(
        "What has to be left of a ceiling for the dearest of these judgements to begin: each question asked once, with a short " +
          "answer. What is left below that ends the run.",
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
      set_aside_usd: 0.108,
      least_usd: 0.023,
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
